package vaulttest

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/vault"
)

var profileCases = []testCase{
	{"usages of profiles", testUsages},
	{"names of a directory", testDirectory},
	{"profile that the engine lacks", testNoProfile},
}

// oid writes an OID shorter.
func oid(numbers ...int) asn1.ObjectIdentifier { return numbers }

var (
	smartcardLogon = oid(1, 3, 6, 1, 4, 1, 311, 20, 2, 2)
	pkinitClient   = oid(1, 3, 6, 1, 5, 2, 3, 4)
	clientAuth     = oid(1, 3, 6, 1, 5, 5, 7, 3, 2)
	mail           = oid(1, 3, 6, 1, 5, 5, 7, 3, 4)
)

// builtin are the built-in profiles' usages of an RSA key (certificates.md, "Profiles").
var builtin = []vault.Usage{
	{Profile: "logon", Key: x509.KeyUsageDigitalSignature, Purposes: []asn1.ObjectIdentifier{clientAuth, smartcardLogon, pkinitClient}},
	{Profile: "signature", Key: x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment, Purposes: []asn1.ObjectIdentifier{mail}},
	{Profile: "encryption", Key: x509.KeyUsageKeyEncipherment, Purposes: []asn1.ObjectIdentifier{mail}},
	{Profile: "tls-client", Key: x509.KeyUsageDigitalSignature, Purposes: []asn1.ObjectIdentifier{clientAuth}},
	{Profile: "card-authentication", Key: x509.KeyUsageDigitalSignature, Purposes: []asn1.ObjectIdentifier{oid(2, 16, 840, 1, 101, 3, 6, 8)}},
}

func testUsages(t *testing.T, h Harness) {
	for _, usage := range builtin {
		_, cert := sign(t, h, vault.SignRequest{CSR: NewCSR(t, RSAKey()), CommonName: "card 12345678", Usage: usage})
		purposes := purposesOf(cert)
		var want []string
		for _, u := range usage.Purposes {
			want = append(want, u.String())
		}
		slices.Sort(want)
		if cert.KeyUsage != usage.Key || !slices.Equal(purposes, want) {
			t.Errorf("%s: key usage %b, extended %v", usage.Profile, cert.KeyUsage, purposes)
		}
	}
}

// testDirectory reads the names as openssl shows them.
func testDirectory(t *testing.T, h Harness) {
	const sid = "S-1-5-21-3623811015-3361044348-30300820-1013"
	issued, _ := sign(t, h, vault.SignRequest{
		CSR: NewCSR(t, RSAKey()), CommonName: "zoe", Usage: builtin[0], Emails: []string{"zoe@example.org"},
		UPN: "zoe@corp.example", Principal: vault.Principal{Name: "zoe", Realm: "CORP.EXAMPLE"}, SID: sid,
	})
	text := openssl(t, issued.Certificate.Raw, "x509", "-inform", "der", "-noout", "-ext", "subjectAltName")
	names := strings.Split(strings.TrimSpace(text[strings.Index(text, "\n"):]), ", ")
	slices.Sort(names)
	want := []string{"email:zoe@example.org", "othername: 1.3.6.1.5.2.2::<unsupported>", "othername: UPN::zoe@corp.example"}
	if !h.AllNames {
		want = []string{"URI:tag:microsoft.com,2022-09-14:sid:" + sid, "email:zoe@example.org", "othername: UPN::zoe@corp.example"}
	}
	if diff := cmp.Diff(want, names); diff != "" || !bytes.Contains(issued.Certificate.Raw, []byte(sid)) {
		t.Errorf("a certificate without the SID, or other names: %s", diff)
	}
}

func testNoProfile(t *testing.T, h Harness) {
	prepared, err := h.Engine.Prepare(t.Context(), vault.SignRequest{CSR: NewCSR(t, RSAKey()), CommonName: "a", Usage: vault.Usage{
		Profile: "nobodys", Key: x509.KeyUsageDigitalSignature, Purposes: []asn1.ObjectIdentifier{clientAuth},
	}})
	if err == nil {
		_, err = prepared.Sign(t.Context())
	}
	if h.AllNames != (err == nil) || err != nil && !errors.Is(err, vault.ErrDenied) { // the embedded engine makes what it is asked for
		t.Errorf("a profile that nobody set up: %v", err)
	}
}
