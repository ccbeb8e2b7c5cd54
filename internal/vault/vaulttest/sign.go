package vaulttest

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var signCases = []testCase{
	{"profile", testProfile},
	{"no alternative names", testNoNames},
	{"lifetime", testLifetime},
	{"chain", testChain},
	{"serial numbers", testSerials},
}

const year = 8760 * time.Hour

const someURI = "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"

func request(t *testing.T, h Harness) vault.SignRequest {
	t.Helper()
	req := vault.SignRequest{
		CSR: NewCSR(t, RSAKey()), CommonName: "Zoë Müller",
		Emails: []string{"zoe@example.org"}, DNSNames: []string{"laptop.example.org"}, IPs: []string{"192.0.2.7", "2001:db8::7"},
	}
	if h.AllNames {
		req.URIs = []string{someURI}
	}
	return req
}

// Sign prepares and signs a certificate that no log knows.
func Sign(ctx context.Context, ca vault.PKI, req vault.SignRequest) (vault.Issued, error) {
	prepared, err := ca.Prepare(ctx, req)
	if err != nil {
		return vault.Issued{}, err
	}
	return prepared.Sign(ctx)
}

// Prepared lets something happen around a signature; nil: nothing.
type Prepared struct {
	vault.Prepared

	Before, After func() error // an error is the answer: nothing is signed, or it is not told what was
}

// Sign implements vault.Prepared.
func (p Prepared) Sign(ctx context.Context) (issued vault.Issued, err error) {
	if p.Before != nil {
		err = p.Before()
	}
	if err == nil {
		issued, err = p.Prepared.Sign(ctx)
	}
	if err == nil && p.After != nil {
		err = p.After()
	}
	return issued, err
}

func sign(t *testing.T, h Harness, req vault.SignRequest) (vault.Issued, *x509.Certificate) {
	t.Helper()
	issued, err := Sign(t.Context(), h.Engine, req)
	if err != nil {
		t.Fatalf("Sign: %v", err)
	}
	// As others read it: what the engine says of it must be no more and no less.
	read := certificate(t, issued.Certificate.Raw)
	if !reflect.DeepEqual(read, issued.Certificate) {
		t.Errorf("the certificate and its DER differ:\n%+v\n%+v", read, issued.Certificate)
	}
	return issued, read
}

func testProfile(t *testing.T, h Harness) {
	before := time.Now()
	issued, cert := sign(t, h, request(t, h))
	caDER := active(t, h).Chain[0]
	ca := certificate(t, caDER)

	// From the specification ("Public PKI endpoints") and the port.
	type profile struct {
		Version      int
		CN           string
		Names        int
		Emails, DNS  []string
		IPs          []string
		URIs         []string
		KeyUsage     x509.KeyUsage
		ExtKeyUsage  []x509.ExtKeyUsage
		IsCA         bool
		Issuer       string
		CRL, Issuers []string
		AKI          string
	}
	got := profile{
		Version: cert.Version, CN: cert.Subject.CommonName, Names: len(cert.Subject.Names),
		Emails: cert.EmailAddresses, DNS: cert.DNSNames, KeyUsage: cert.KeyUsage, ExtKeyUsage: cert.ExtKeyUsage,
		IsCA: cert.IsCA, Issuer: cert.Issuer.String(), CRL: cert.CRLDistributionPoints,
		Issuers: cert.IssuingCertificateURL, AKI: fmt.Sprintf("%x", cert.AuthorityKeyId),
	}
	for _, ip := range cert.IPAddresses {
		got.IPs = append(got.IPs, ip.String())
	}
	for _, u := range cert.URIs {
		got.URIs = append(got.URIs, u.String())
	}
	want := profile{
		Version: 3, CN: "Zoë Müller", Names: 1,
		Emails: []string{"zoe@example.org"}, DNS: []string{"laptop.example.org"},
		IPs: []string{"192.0.2.7", net.ParseIP("2001:db8::7").String()}, URIs: request(t, h).URIs,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageEmailProtection},
		Issuer:      ca.Subject.String(), CRL: []string{h.PublicBase + "/api/pki/crl"},
		Issuers: []string{h.PublicBase + "/api/pki/ca.cer"}, AKI: fmt.Sprintf("%x", ca.SubjectKeyId),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !RSAKey().PublicKey.Equal(cert.PublicKey) {
		t.Error("the certificate has another key than the CSR")
	}
	if len(cert.SubjectKeyId) == 0 {
		t.Error("no subject key identifier")
	}
	if s := fmt.Sprintf("%x", cert.SerialNumber.Bytes()); s != issued.Serial {
		t.Errorf("serial %s, said to be %s", s, issued.Serial)
	}
	back := before.Sub(cert.NotBefore)
	if back < 25*time.Second || back > 5*time.Minute {
		t.Errorf("notBefore is %v before the request", back)
	}
}

// openssl runs the openssl command on input.
func openssl(t *testing.T, input []byte, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "openssl", args...)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("openssl %s: %v\n%s", args[0], err, stderr.String())
	}
	return string(out) + stderr.String()
}

func testNoNames(t *testing.T, h Harness) {
	_, cert := sign(t, h, vault.SignRequest{CSR: NewCSR(t, RSAKey()), CommonName: "plain"})
	for _, ext := range cert.Extensions {
		if ext.Id.String() == "2.5.29.17" {
			t.Error("a subject alternative name that nobody asked for")
		}
	}
}

func testLifetime(t *testing.T, h Harness) {
	req := request(t, h)
	for _, c := range []struct {
		ttl, want time.Duration
	}{{0, year}, {year, year}, {10 * year, year}, {time.Hour, time.Hour}, {90 * time.Second, 90 * time.Second}} {
		req.TTL = c.ttl
		_, cert := sign(t, h, req)
		// The 30 seconds before now may be part of it or not.
		if got := time.Until(cert.NotAfter); got > c.want+5*time.Second || got < c.want-2*time.Minute {
			t.Errorf("TTL %v: ends in %v", c.ttl, got)
		}
		if total := cert.NotAfter.Sub(cert.NotBefore); total > year+30*time.Second {
			t.Errorf("TTL %v: lasts %v", c.ttl, total)
		}
	}
	req.TTL = -time.Second
	if _, err := h.Engine.Prepare(t.Context(), req); !errors.Is(err, vault.ErrInvalid) {
		t.Errorf("negative TTL: %v", err)
	}
}

func testChain(t *testing.T, h Harness) {
	issued, cert := sign(t, h, request(t, h))
	chain := active(t, h).Chain
	ca := active(t, h).Chain[0]
	if len(chain) == 0 || !bytes.Equal(chain[0], ca) {
		t.Fatal("the chain does not begin with the issuing certificate")
	}
	if diff := cmp.Diff(chain, issued.Chain); diff != "" {
		t.Error("Issued.Chain and Chain differ")
	}
	roots, intermediates := x509.NewCertPool(), x509.NewCertPool()
	for i, der := range chain {
		if i == len(chain)-1 {
			roots.AddCert(certificate(t, der))
		} else {
			intermediates.AddCert(certificate(t, der))
		}
	}
	for _, usage := range []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageEmailProtection} {
		opts := x509.VerifyOptions{Roots: roots, Intermediates: intermediates, KeyUsages: []x509.ExtKeyUsage{usage}}
		if _, err := cert.Verify(opts); err != nil {
			t.Errorf("usage %v: %v", usage, err)
		}
	}
	root := certificate(t, chain[len(chain)-1])
	if err := root.CheckSignatureFrom(root); err != nil {
		t.Errorf("the root is not self-signed: %v", err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	var all []byte
	for _, der := range chain {
		all = append(all, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	must.OK(t, os.WriteFile(file, all, 0o600))
	leaf := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issued.Certificate.Raw})
	if out := openssl(t, leaf, "verify", "-x509_strict", "-CAfile", file); !strings.Contains(out, "OK") {
		t.Errorf("openssl verify: %s", out)
	}
}

func testSerials(t *testing.T, h Harness) {
	seen := map[string]bool{}
	form := regexp.MustCompile(`^[0-9a-f]{32,40}$`)
	var varies [20]bool
	var first []byte
	for range 16 {
		issued, cert := sign(t, h, request(t, h))
		b := cert.SerialNumber.Bytes()
		if seen[issued.Serial] || !form.MatchString(issued.Serial) || strings.HasPrefix(issued.Serial, "00") {
			t.Errorf("serial %s", issued.Serial)
		}
		seen[issued.Serial] = true
		if first == nil {
			first = b
		}
		for i := range min(len(b), len(first)) {
			varies[i] = varies[i] || b[i] != first[i]
		}
	}
	for i := 1; i < len(first); i++ {
		if !varies[i] {
			t.Errorf("byte %d of 16 serial numbers is always the same", i)
		}
	}
}
