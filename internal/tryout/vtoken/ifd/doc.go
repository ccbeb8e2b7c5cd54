// Package ifd connects a virtual card to pcscd: a small IFD handler in C, which
// pcscd loads as the driver of a reader, and the Go side of its socket.
//
// The framing is that of vsmartcard's vpcd: a 2-byte big-endian length, then that many
// bytes, both ways. A payload of one byte is a control byte: 0 power off, 1 power on, 2
// reset (these get no answer), 4 "send the ATR". Everything else is a command APDU,
// answered with a response APDU, or with nothing while the power is off. The card's side listens on a Unix socket, never on the
// network; a missing socket means a missing card.
package ifd
