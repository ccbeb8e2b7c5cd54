// Package vtoken runs Keyward's virtual tokens: PIV cards in software (package applet)
// behind their own real pcscd, so that ykman, yubico-piv-tool, OpenSC and the agent use
// them like a YubiKey.
//
// [Start] starts one pcscd with one reader per serial number. Clients reach it through
// the environment variable PCSCLITE_CSOCK_NAME, set to [Host.SocketPath]. Any number of
// hosts may run at once, each with its own state directory; they affect neither each
// other nor the system's pcscd.
//
// The state directory holds:
//
//	lock                  held while a host runs
//	attestation-root.pem  the test root, certificate and key
//	tokens/N.json         the state of token N, secrets in the clear
//	driver/               the compiled IFD handler
//	run/                  sockets and the reader file of the running host
//
// It is a testing device: the files hold PINs and private keys in the clear.
// Hosts run on Linux only.
package vtoken
