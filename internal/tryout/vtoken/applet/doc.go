// Package applet is the card of Keyward's virtual token: a PIV application according to
// NIST SP 800-73-4 part 2 with the extensions that Yubico publishes for the YubiKey,
// and as much of Yubico's management application as ykman needs.
//
// A [Card] takes command APDUs and returns response APDUs. It needs no reader and no
// pcscd, so that tests can drive thousands of cards in parallel; the packages vtoken
// and ifd put it behind a real pcscd.
//
// It is a testing device: its state file holds PIN, PUK, management key and private
// keys in the clear. Do not store anything of value in it.
//
// Where SP 800-73-4 is silent, status words follow what ykman and yubico-piv-tool
// expect. Nothing was compared with real hardware.
package applet
