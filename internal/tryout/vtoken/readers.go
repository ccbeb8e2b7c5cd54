package vtoken

import (
	"fmt"
	"strings"
)

// readerNames contain what ykman looks for: "yubico yubikey", and interfaces from which
// it derives the USB product. Different products keep ykman 4.0.9 from hiding a token
// when another one of the same product is pulled.
var readerNames = []string{
	"Yubico YubiKey OTP+FIDO+CCID",
	"Yubico YubiKey FIDO+CCID",
	"Yubico YubiKey OTP+CCID",
	"Yubico YubiKey CCID",
}

// ReaderName is the name of a host's nth reader, counted from 0, before pcscd
// appends its own numbers.
func ReaderName(n int) string { return readerNames[n%len(readerNames)] }

// readerFile writes pcscd's configuration (reader.conf(5)). The channel number is only
// there because pcscd requires one.
func readerFile(slots []*slot, driver string) string {
	var b strings.Builder
	for i, s := range slots {
		fmt.Fprintf(&b, "FRIENDLYNAME \"%s\"\nDEVICENAME %s:0\nLIBPATH %s\nCHANNELID 0x%x\n\n",
			ReaderName(i), s.path, driver, i)
	}
	return b.String()
}
