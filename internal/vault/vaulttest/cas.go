package vaulttest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"errors"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// RunCAs has an engine of its own pass from CA to CA.
func RunCAs(t *testing.T, setup func(t *testing.T) Harness) {
	for _, c := range []testCase{
		{"CA under a root", testUnderRoot}, {"CA renewed by itself", testRenewed}, {"CA requested and withdrawn", testWithdrawn},
		{"CA activated at once by two", testActivatedTwice},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, setup(t))
		})
	}
}

// active returns the CA that signs.
func active(t *testing.T, h Harness) vault.CA {
	t.Helper()
	return must.Get(vault.ActiveCA(t.Context(), h.Engine))(t)
}

// Root is a root CA outside of any engine.
type Root struct {
	Cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// NewRoot makes one.
func NewRoot(t *testing.T) Root {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P384(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "Example Root", Organization: []string{"Example"}},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(20, 0, 0), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign, SubjectKeyId: []byte{1, 2, 3, 4},
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))(t)
	return Root{certificate(t, der), key}
}

// Sign returns the chain of a requested CA.
func (r Root) Sign(t *testing.T, csr []byte) [][]byte {
	t.Helper()
	request := must.Get(x509.ParseCertificateRequest(csr))(t)
	must.OK(t, request.CheckSignature())
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), RawSubject: request.RawSubject,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(5, 0, 0), IsCA: true, BasicConstraintsValid: true,
		MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign, SubjectKeyId: []byte{5, 6, 7, byte(time.Now().UnixNano())},
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, r.Cert, request.PublicKey, r.key))(t)
	return [][]byte{der, r.Cert.Raw}
}

func testUnderRoot(t *testing.T, h Harness) {
	ctx, first := t.Context(), active(t, h)
	early := revocation(t, h, vault.Superseded)
	asked := must.Get(h.Engine.NewCA(ctx, vault.NewCA{KeyType: piv.ECP256, CommonName: "Example Tokens 1"}))(t)
	if len(asked.Chain) > 0 || len(asked.CSR) == 0 || asked.Active || asked.First || first.ID == asked.ID {
		t.Fatalf("requested: %+v", asked)
	}
	if cn := must.Get(x509.ParseCertificateRequest(asked.CSR))(t).Subject.CommonName; cn != "Example Tokens 1" {
		t.Errorf("requested for %q", cn)
	}
	for name, err := range map[string]error{
		"activated": h.Engine.ActivateCA(ctx, asked.ID), "its list": second(h.Engine.CRL(ctx, asked.ID)),
	} {
		if !errors.Is(err, vault.ErrNotFound) {
			t.Errorf("%s before it has a certificate: %v", name, err)
		}
	}
	chain := NewRoot(t).Sign(t, asked.CSR)
	must.OK(t, h.Engine.InstallCA(ctx, asked.ID, chain))
	must.OK(t, h.Engine.InstallCA(ctx, asked.ID, chain)) // its answer may have been lost
	if err := h.Engine.InstallCA(ctx, asked.ID, NewRoot(t).Sign(t, asked.CSR)); !errors.Is(err, vault.ErrCAS) {
		t.Errorf("another certificate for the same CA: %v", err)
	}
	if now := active(t, h); now.ID != first.ID {
		t.Error("it signs before it is activated")
	}
	must.OK(t, h.Engine.ActivateCA(ctx, asked.ID))
	now := active(t, h)
	if diff := cmp.Diff(vault.CA{ID: asked.ID, Chain: chain, Active: true}, now); diff != "" {
		t.Errorf("active: %s", diff)
	}
	late := testOf(t, h, now)
	lists(t, h, first.ID, early, now.ID, late)
	if h.Reopen != nil {
		h.Engine = h.Reopen(t)
		if diff := cmp.Diff(now, active(t, h)); diff != "" {
			t.Errorf("after a restart: %s", diff)
		}
		lists(t, h, first.ID, early, now.ID, late)
	}
	must.OK(t, h.Engine.ActivateCA(ctx, first.ID)) // the way back
	if issued, _ := sign(t, h, request(t, h)); issued.Certificate.CheckSignatureFrom(certificate(t, first.Chain[0])) != nil {
		t.Error("the first CA does not sign again")
	}
}

func second[T any](_ T, err error) error { return err }

// testOf signs with the active CA, which is a later one, and returns a revocation.
func testOf(t *testing.T, h Harness, ca vault.CA) vault.Revocation {
	t.Helper()
	issued, cert := sign(t, h, request(t, h))
	if issued.CA != ca.ID || cert.CheckSignatureFrom(certificate(t, ca.Chain[0])) != nil || len(issued.Chain) != len(ca.Chain) {
		t.Fatalf("signed by %s with a chain of %d", issued.CA, len(issued.Chain))
	}
	if want := []string{h.PublicBase + "/api/pki/crl/" + ca.ID}; !slices.Equal(cert.CRLDistributionPoints, want) {
		t.Errorf("its list is said to be at %s", cert.CRLDistributionPoints)
	}
	if want := []string{h.PublicBase + "/api/pki/ca/" + ca.ID + ".cer"}; !slices.Equal(cert.IssuingCertificateURL, want) {
		t.Errorf("its CA is said to be at %s", cert.IssuingCertificateURL)
	}
	return vault.Revocation{
		Serial: issued.Serial, At: time.Now(), Reason: vault.KeyCompromise, Certificate: issued.Certificate.Raw, NotAfter: cert.NotAfter,
	}
}

// lists revokes a certificate of each CA and finds it on that CA's list alone, whose numbers count for
// themselves. Each CA certifies an OCSP signer.
func lists(t *testing.T, h Harness, ca1 string, r1 vault.Revocation, ca2 string, r2 vault.Revocation) {
	t.Helper()
	ctx := t.Context()
	must.OK(t, h.Engine.Revoke(ctx, r1, r2))
	all := must.Get(h.Engine.CAs(ctx))(t)
	for _, want := range []struct{ ca, on, off string }{{ca1, r1.Serial, r2.Serial}, {ca2, r2.Serial, r1.Serial}} {
		raw := must.Get(h.Engine.CRL(ctx, want.ca))(t)
		if onList(raw, want.on) != nil || onList(raw, want.off) == nil {
			t.Errorf("CA %s lists another's certificate, or not its own", want.ca)
		}
		ca := all[slices.IndexFunc(all, func(c vault.CA) bool { return c.ID == want.ca })]
		if !bytes.Equal(raw.CA, ca.Chain[0]) {
			t.Errorf("the list of %s is said to be another CA's", want.ca)
		}
		must.OK(t, must.Get(x509.ParseRevocationList(raw.DER))(t).CheckSignatureFrom(certificate(t, ca.Chain[0])))
		engine, _ := h.Engine.(vault.Numbered)
		must.OK(t, engine.RaiseCRL(ctx, want.ca, raw.Number+3, nil))
		if number, _, err := engine.CRLNumber(ctx, want.ca); err != nil || number <= raw.Number+3 {
			t.Errorf("number %d of %s, %v", number, want.ca, err)
		}
		key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
		signer := must.Get(h.Engine.IssueResponder(ctx, want.ca, key))(t)
		must.OK(t, signer.CheckSignatureFrom(certificate(t, ca.Chain[0])))
	}
	of := map[string]string{}
	lister, _ := h.Engine.(vault.RevokedLister)
	must.OK(t, lister.Revoked(ctx, func(r vault.Revocation) error { of[r.Serial] = r.CA; return nil }))
	if of[r1.Serial] != ca1 || of[r2.Serial] != ca2 {
		t.Errorf("revocations are said to be of %s and %s", of[r1.Serial], of[r2.Serial])
	}
}

func testRenewed(t *testing.T, h Harness) {
	ctx, first := t.Context(), active(t, h)
	next := must.Get(h.Engine.NewCA(ctx, vault.NewCA{KeyType: piv.RSA2048, CommonName: "Keyward Root CA 2", SelfSigned: true}))(t)
	if len(next.Chain) != 1 || next.Active || next.First || len(next.CSR) > 0 {
		t.Fatalf("%+v", next)
	}
	cert := certificate(t, next.Chain[0])
	must.OK(t, cert.CheckSignatureFrom(cert))
	if life := cert.NotAfter.Sub(cert.NotBefore); !cert.IsCA || cert.MaxPathLen != 0 || cert.Subject.CommonName != "Keyward Root CA 2" ||
		cert.KeyUsage != x509.KeyUsageCertSign|x509.KeyUsageCRLSign || life < 9*365*24*time.Hour || hex.EncodeToString(cert.SubjectKeyId) == "" {
		t.Errorf("%+v", cert)
	}
	early := revocation(t, h, vault.Superseded) // still of the first
	must.OK(t, h.Engine.ActivateCA(ctx, next.ID))
	lists(t, h, first.ID, early, next.ID, testOf(t, h, active(t, h)))
}

func testWithdrawn(t *testing.T, h Harness) {
	ctx := t.Context()
	asked := must.Get(h.Engine.NewCA(ctx, vault.NewCA{KeyType: piv.ECP384, CommonName: "Example Tokens 2"}))(t)
	if err := h.Engine.WithdrawCA(ctx, active(t, h).ID); !errors.Is(err, vault.ErrCAS) {
		t.Errorf("the active one is withdrawn: %v", err)
	}
	must.OK(t, h.Engine.WithdrawCA(ctx, asked.ID))
	for name, err := range map[string]error{
		"withdrawn": h.Engine.WithdrawCA(ctx, asked.ID), "activated": h.Engine.ActivateCA(ctx, asked.ID),
		"installed": h.Engine.InstallCA(ctx, asked.ID, NewRoot(t).Sign(t, asked.CSR)),
	} {
		if !errors.Is(err, vault.ErrNotFound) {
			t.Errorf("%s after it was withdrawn: %v", name, err)
		}
	}
	if all := must.Get(h.Engine.CAs(ctx))(t); slices.ContainsFunc(all, func(c vault.CA) bool { return c.ID == asked.ID }) {
		t.Error("it is still there")
	}
}

// testActivatedTwice: certificates are signed by either CA meanwhile, and each is revoked on its own list.
func testActivatedTwice(t *testing.T, h Harness) {
	ctx := t.Context()
	next := must.Get(h.Engine.NewCA(ctx, vault.NewCA{KeyType: piv.ECP256, CommonName: "Keyward Root CA 3", SelfSigned: true}))(t)
	done := make(chan error, 2)
	for range 2 {
		go func() { done <- h.Engine.ActivateCA(ctx, next.ID) }()
	}
	for range 8 {
		r := revocation(t, h, vault.Superseded)
		must.OK(t, h.Engine.Revoke(ctx, r))
		ca, ok := vault.IssuerOf(must.Get(h.Engine.CAs(ctx))(t), certificate(t, r.Certificate))
		if !ok {
			t.Fatal("it is of no CA")
		}
		must.OK(t, onList(must.Get(h.Engine.CRL(ctx, ca.ID))(t), r.Serial))
	}
	for range 2 {
		must.OK(t, <-done)
	}
}
