package vaulttest

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var refusalCases = []testCase{
	{"CSRs", testRefusedCSRs},
	{"names", testRefusedNames},
}

func refused(t *testing.T, h Harness, name string, req vault.SignRequest) {
	t.Helper()
	if _, err := Sign(t.Context(), h.Engine, req); !errors.Is(err, vault.ErrInvalid) {
		t.Errorf("%s: %v", name, err)
	}
}

func testRefusedCSRs(t *testing.T, h Harness) {
	good := csrDER(t, RSAKey())
	for name, der := range map[string][]byte{
		"empty": nil, "garbage": []byte("-----BEGIN"), "cut": good[:len(good)-1], "trailing": append(bytes.Clone(good), 0),
		"large": make([]byte, 1<<20),
	} {
		if _, err := vault.ParseCSR(der); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	badSignature := bytes.Clone(good)
	badSignature[len(badSignature)-1] ^= 1
	changed := bytes.Replace(good, []byte("from-the-csr"), []byte("from-the-csR"), 1)
	parsed := func(der []byte) vault.CSR {
		return must.Get(vault.ParseCSR(der))(t)
	}
	for name, csr := range map[string]vault.CSR{
		"none": {}, "bad signature": parsed(badSignature), "changed after signing": parsed(changed),
		"RSA 1024": NewCSR(t, mustRSA(1024)), "RSA 3072": NewCSR(t, mustRSA(3072)), "EC": NewCSR(t, ecKey(t)),
	} {
		refused(t, h, name, vault.SignRequest{CSR: csr, CommonName: "someone"})
	}
}

func testRefusedNames(t *testing.T, h Harness) {
	csr := NewCSR(t, RSAKey())
	for name, req := range map[string]vault.SignRequest{
		"no CN": {}, "CN of 65": {CommonName: strings.Repeat("a", 65)},
		"IDN email": {CommonName: "a", Emails: []string{"zoë@example.org"}}, "IDN domain": {CommonName: "a", Emails: []string{"zoe@exämple.org"}},
		"no at": {CommonName: "a", Emails: []string{"zoe"}}, "IP": {CommonName: "a", IPs: []string{"300.1.1.1"}},
		"two DNS names in one": {CommonName: "a", DNSNames: []string{"a.example,b.example"}}, "URI": {CommonName: "a", URIs: []string{"://"}},
	} {
		req.CSR = csr
		refused(t, h, name, req)
	}
	if !h.AllNames {
		refused(t, h, "a URI of an engine that signs for none", vault.SignRequest{CSR: csr, CommonName: "a", URIs: []string{someURI}})
	}
	longest := vault.SignRequest{CSR: csr, CommonName: strings.Repeat("ü", 64)}
	if _, cert := sign(t, h, longest); cert.Subject.CommonName != longest.CommonName {
		t.Error("a CN of 64 characters came out changed")
	}
}
