//go:build exhaustive

package vtoken_test

import (
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/internal/tryout/vtoken"
)

// yubico-piv-tool sends short APDUs with command chaining.
func TestYubicoPivTool(t *testing.T) {
	t.Parallel()
	d := setup(t, vtoken.Options{})
	tool := func(input []string, args ...string) string {
		t.Helper()
		r := d.try(input, "yubico-piv-tool", append([]string{"--stdin-input"}, args...)...)
		if r.code != 0 {
			t.Fatalf("yubico-piv-tool %v: exit code %d\n%s%s", args, r.code, r.out, r.err)
		}
		return r.out + r.err
	}
	holds(t, tool(nil, "-a", "status"), "20260001", "5.4.3")
	holds(t, tool(lines("123456"), "-a", "verify-pin"), "Successfully verified PIN")
	for slot, algorithm := range map[string]string{"9a": "RSA2048", "9d": "ECCP384"} {
		tool(lines(factoryManagement), "-k", "-s", slot, "-a", "generate", "-A", algorithm, "-o", slot+".pub")
		d.piv(lines(factoryManagement, "123456"), "certificates", "generate", "-s", "CN=Ada", slot, slot+".pub")
		d.piv(nil, "certificates", "export", slot, slot+".pem")
		holds(t, tool(lines("123456"), "-s", slot, "-a", "verify-pin", "-a", "test-signature", "-i", slot+".pem"), "Success")
		holds(t, tool(lines("123456"), "-s", slot, "-a", "verify-pin", "-a", "test-decipher", "-i", slot+".pem"), "Success")
		attestation := tool(nil, "-s", slot, "-a", "attest")
		fromPEM(t, attestation, "CERTIFICATE")
	}
	holds(t, tool(nil, "-a", "status"), "RSA2048", "ECCP384")
	if r := d.try(lines("999999"), "yubico-piv-tool", "--stdin-input", "-a", "verify-pin"); r.code == 0 {
		t.Error("a wrong PIN was taken")
	}
	holds(t, tool(nil, "-a", "status"), "PIN tries left:\t2")
}

// OpenSC is a third, independent implementation of the client's side.
func TestOpenSC(t *testing.T) {
	t.Parallel()
	modules, err := filepath.Glob("/usr/lib/*/opensc-pkcs11.so")
	if err != nil || len(modules) == 0 {
		t.Fatal("opensc-pkcs11.so is not there: install the Debian package opensc-pkcs11")
	}
	d := setup(t, vtoken.Options{})
	holds(t, d.run(nil, "opensc-tool", "-l"), "Yubico YubiKey OTP+FIDO+CCID", "Yes")
	public := d.piv(lines(factoryManagement), "keys", "generate", "-a", "RSA2048", "9a", "-")
	d.file("pub.pem", []byte(public))
	d.piv(lines(factoryManagement, "123456"), "certificates", "generate", "-s", "CN=Ada Lovelace", "9a", "pub.pem")
	d.file("message", []byte("to be signed"))

	// pkcs11-tool prompts only on a terminal, so the factory PIN is passed in the
	// environment.
	login := []string{"--module", modules[0], "--login", "--pin", "env:KEYWARD_TEST_PIN"}
	holds(t, d.run(nil, "pkcs11-tool", append(login, "--list-objects")...), "PIV AUTH key", "CN=Ada Lovelace")
	d.run(nil, "pkcs11-tool", append(login, "--sign", "-m", "SHA256-RSA-PKCS", "--id", "01", "-i", "message", "-o", "signature")...)
	holds(t, d.run(nil, "openssl", "dgst", "-sha256", "-verify", "pub.pem", "-signature", "signature", "message"), "Verified OK")
	d.file("message", []byte("to be signed!"))
	if r := d.try(nil, "openssl", "dgst", "-sha256", "-verify", "pub.pem", "-signature", "signature", "message"); r.code == 0 {
		t.Error("the signature is good for another message too")
	}
}
