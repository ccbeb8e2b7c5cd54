// Package applet is the card of Keyward's virtual token: a PIV application after
// NIST SP 800-73-4 part 2 with the extensions that Yubico publishes for the
// YubiKey, and as much of Yubico's management application as ykman needs.
//
// A [Card] takes command APDUs and gives response APDUs. It needs no reader
// and no pcscd, so that tests can drive thousands of cards in parallel; the
// packages vtoken and ifd put it behind a real pcscd.
//
// It is a testing device: its PIN, PUK, management key and private keys stand
// in its state file in the clear. Do not put anything of value into it.
//
// Where SP 800-73-4 is silent, status words follow what ykman and
// yubico-piv-tool expect. Nothing here was compared with real hardware.
package applet
