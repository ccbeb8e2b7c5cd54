package issuance

import (
	"crypto/x509"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func setup(t testing.TB, types ...piv.KeyType) *Issuer {
	t.Helper()
	if len(types) == 0 {
		types = []piv.KeyType{piv.RSA2048}
	}
	cert, key := must.Both(NewRoot(piv.ECP256, "Test CA", noon))(t)
	return must.Get(NewIssuer([]*x509.Certificate{cert}, key, Profile{
		KeyTypes: types, MaxTTL: 8760 * time.Hour,
		CRL: "https://k.example/api/pki/crl", CAIssuers: "https://k.example/api/pki/ca",
	}))(t)
}

// TestSignOnlyWhatWasLinted: the zero value and a used one are refused.
func TestSignOnlyWhatWasLinted(t *testing.T) {
	t.Parallel()
	i := setup(t)
	req := vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "a"}
	linted := must.Get(i.Lint(req, noon))(t)
	for name, l := range map[string]*Linted{"nil": nil, "zero": {}} {
		if _, err := l.Sign(t.Context()); err == nil {
			t.Errorf("%s was signed", name)
		}
	}
	if _, err := linted.Sign(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := linted.Sign(t.Context()); err == nil {
		t.Error("signed twice")
	}
}

// TestValidity has the times written by hand. The CA ends at
// 2036-03-01 11:59:30.
func TestValidity(t *testing.T) {
	t.Parallel()
	i := setup(t)
	at := func(s string) time.Time {
		return must.Get(time.Parse(time.DateTime, s))(t)
	}
	for _, c := range []struct {
		now           string
		ttl           time.Duration
		before, after string
	}{
		{"2026-03-01 12:00:00", 0, "2026-03-01 11:59:30", "2027-03-01 11:59:30"},
		{"2026-03-01 12:00:00", 8760 * time.Hour, "2026-03-01 11:59:30", "2027-03-01 11:59:30"},
		{"2026-03-01 12:00:00", 99999 * time.Hour, "2026-03-01 11:59:30", "2027-03-01 11:59:30"},
		{"2026-03-01 12:00:00", time.Hour, "2026-03-01 11:59:30", "2026-03-01 13:00:00"},
		{"2026-03-01 12:00:00", 8760*time.Hour - 10*time.Second, "2026-03-01 11:59:30", "2027-03-01 11:59:30"},
		{"2026-03-01 12:00:00", time.Millisecond, "2026-03-01 11:59:30", "2026-03-01 12:00:01"},
		{"2036-02-01 12:00:00", 0, "2036-02-01 11:59:30", "2036-03-01 11:59:30"},
	} {
		before, after := i.validity(c.ttl, at(c.now))
		if !before.Equal(at(c.before)) || !after.Equal(at(c.after)) {
			t.Errorf("at %s for %v: %v to %v", c.now, c.ttl, before, after)
		}
	}
	req := vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "a"}
	if _, err := i.Lint(req, at("2036-03-01 12:00:00")); !errors.Is(err, vault.ErrEnded) {
		t.Errorf("expired CA: %v", err)
	}
}

func TestOtherKeyTypes(t *testing.T) {
	t.Parallel()
	i := setup(t, piv.ECP256)
	_, key := must.Both(NewRoot(piv.ECP256, "a", noon))(t)
	linted := must.Get(i.Lint(vault.SignRequest{CSR: vaulttest.NewCSR(t, key), CommonName: "a"}, noon))(t)
	issued := must.Get(linted.Sign(t.Context()))(t)
	if issued.Certificate.KeyUsage != x509.KeyUsageDigitalSignature {
		t.Errorf("an EC key that enciphers: %b", issued.Certificate.KeyUsage)
	}
	_, err := i.Lint(vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "a"}, noon)
	if !errors.Is(err, vault.ErrInvalid) || !strings.Contains(err.Error(), "ec-p256") {
		t.Errorf("RSA where only P-256 is allowed: %v", err)
	}
}

// TestLintNotices changes one byte of a good certificate's fixed part at a
// time; lint must not pass any of them.
func TestLintNotices(t *testing.T) {
	t.Parallel()
	i := setup(t)
	for name, req := range map[string]vault.SignRequest{
		"the specification's": {CommonName: "a", Emails: []string{"a@example.org"}},
		"to log on":           logon,
	} {
		n := must.Get(pki.CheckNames(req))(t)
		tmpl := template{names: n, usage: req.Usage, public: vaulttest.RSAKey().Public(), serial: newSerial(20)}
		if tmpl.usage.Key == 0 {
			tmpl.usage = vault.DefaultUsage(tmpl.public)
		}
		tmpl.notBefore, tmpl.notAfter = i.validity(0, noon)
		tbs := must.Get(i.build(&tmpl))(t)
		must.Get(i.lint(tbs, &tmpl))(t)
		for at := range tbs {
			tbs[at] ^= 1
			if _, err := i.lint(tbs, &tmpl); err == nil {
				t.Errorf("%s: byte %d of %d may be anything", name, at, len(tbs))
			}
			tbs[at] ^= 1
		}
	}
}

// FuzzLint: no CSR and no name makes it panic or pass what a parser refuses.
func FuzzLint(f *testing.F) {
	valid := vaulttest.NewCSR(f, vaulttest.RSAKey())
	good := valid.Request().Raw
	f.Add(good, "Zoë", "zoe@example.org", "192.0.2.1", "urn:a:b", "a.example")
	f.Add(good[:40], "", "@", "::", "http://", "")
	f.Add([]byte{0x30, 0}, "a", "a@b", "1.2.3.4", "x:y", "*.a")
	i := setup(f)
	f.Fuzz(func(t *testing.T, csr []byte, cn, email, ip, uri, dns string) {
		fuzzed, err := vault.ParseCSR(csr)
		if err != nil && !errors.Is(err, vault.ErrInvalid) {
			t.Fatal(err)
		}
		for _, csr := range []vault.CSR{fuzzed, valid} {
			l, err := i.Lint(vault.SignRequest{
				CSR: csr, CommonName: cn, Emails: []string{email}, IPs: []string{ip}, URIs: []string{uri}, DNSNames: []string{dns},
			}, noon)
			if err != nil {
				if !errors.Is(err, vault.ErrInvalid) {
					t.Fatal(err)
				}
				continue
			}
			issued := must.Get(l.Sign(t.Context()))(t)
			cert := must.Get(x509.ParseCertificate(issued.Certificate.Raw))(t)
			must.OK(t, cert.CheckSignatureFrom(i.cert))
		}
	})
}
