package remote_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestEveryCAIsTaken: Vault imports any CA that the embedded vault can have, made or imported, with
// all CAs above it: it signs, and its CRL is the CA's.
func TestEveryCAIsTaken(t *testing.T) {
	t.Parallel()
	for _, kind := range []piv.KeyType{piv.RSA2048, piv.RSA3072, piv.RSA4096, piv.ECP256, piv.ECP384} {
		t.Run("made/"+string(kind), func(t *testing.T) {
			t.Parallel()
			taken(t, embedded.Options{CAKeyType: kind})
		})
	}
	for name, c := range map[string]struct {
		change func(*x509.Certificate)
		above  bool // a root, which signs it
		rsa    bool
	}{
		"below a root":      {above: true},
		"RSA below a root":  {above: true, rsa: true},
		"without a name":    {change: func(c *x509.Certificate) { c.Subject = pkix.Name{} }},
		"for 40 years":      {change: func(c *x509.Certificate) { c.NotAfter = time.Now().AddDate(40, 0, 0) }},
		"near its end":      {change: func(c *x509.Certificate) { c.NotAfter = time.Now().Add(time.Hour) }},
		"with an odd id":    {change: func(c *x509.Certificate) { c.SubjectKeyId = []byte{1, 2, 3} }},
		"signed by PSS":     {rsa: true, change: func(c *x509.Certificate) { c.SignatureAlgorithm = x509.SHA256WithRSAPSS }},
		"with an EKU":       {change: func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageAny} }},
		"with constraints":  {change: constrained},
		"limited in length": {above: true, change: func(c *x509.Certificate) { c.MaxPathLenZero = true }},
	} {
		t.Run("imported/"+name, func(t *testing.T) {
			t.Parallel()
			template := caTemplate("Imported CA")
			if c.change != nil {
				c.change(template)
			}
			taken(t, embedded.Options{ImportCA: secret.New(importable(t, template, c.above, c.rsa))})
		})
	}
}

// TestNamesThatTheCAMayNotSign: names that the CA's constraints forbid are refused before the vault
// is asked, with a reason for the user.
func TestNamesThatTheCAMayNotSign(t *testing.T) {
	t.Parallel()
	template := caTemplate("Limited CA")
	constrained(template)
	to := vaultserver.Shared(t).Operator()
	bundle := secret.New(importable(t, template, true, false))
	setup := must.Get(remote.NewSetup(t.Context(), to, remote.Preparation{ImportCAs: []vault.ExportedCA{{PEM: bundle}}}))(t)
	defer func() { must.OK(t, setup.Close()) }()
	for _, item := range must.Get(setup.Examine(t.Context()))(t) {
		must.OK(t, item.Apply(t.Context()))
	}
	e := must.Get(remote.Open(t.Context(), to))(t)
	defer func() { must.OK(t, e.Close()) }()
	for email, good := range map[string]bool{"zoe@example.org": true, "zoe@example.com": false} {
		prepared, err := e.Prepare(t.Context(), vault.SignRequest{
			CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "zoe", Emails: []string{email},
		})
		if good && err == nil {
			_, err = prepared.Sign(t.Context())
		}
		f, _ := fault.As(err)
		if good && err != nil || !good && (f == nil || f.Code != fault.CSRRejected || f.Reason != "name_constraints") {
			t.Errorf("%s: %v", email, err)
		}
	}
}

func caTemplate(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Minute),
		NotAfter: time.Now().AddDate(10, 0, 0), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
}

func constrained(c *x509.Certificate) {
	c.PermittedDNSDomainsCritical, c.PermittedEmailAddresses = true, []string{"example.org"}
}

// importable is a CA as PEM, with those above it and its key.
func importable(t *testing.T, template *x509.Certificate, above, ofRSA bool) string {
	t.Helper()
	var key crypto.Signer = must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	if ofRSA {
		key = must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)
	}
	parent, signer, text := template, key, ""
	if above {
		root := caTemplate("Root CA")
		rootKey := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
		der := must.Get(x509.CreateCertificate(rand.Reader, root, root, rootKey.Public(), rootKey))(t)
		parent, signer, text = must.Get(x509.ParseCertificate(der))(t), rootKey, inPEM("CERTIFICATE", der)
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer))(t)
	return inPEM("CERTIFICATE", der) + text +
		inPEM("PRIVATE KEY", must.Get(x509.MarshalPKCS8PrivateKey(key))(t))
}

func inPEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func taken(t *testing.T, o embedded.Options) {
	t.Helper()
	o.Path, o.PublicBase, o.Logger = filepath.Join(t.TempDir(), "vault.db"), vaultserver.PublicBase, slog.New(slog.DiscardHandler)
	old := must.Get(embedded.Open(t.Context(), o))(t)
	defer func() { must.OK(t, old.Close()) }()
	to := vaultserver.Shared(t).Operator()
	setup := must.Get(remote.NewSetup(t.Context(), to, remote.Preparation{ImportCAs: must.Get(old.ExportCAs(t.Context()))(t)}))(t)
	defer func() { must.OK(t, setup.Close()) }()
	for _, item := range must.Get(setup.Examine(t.Context()))(t) {
		must.OK(t, item.Apply(t.Context()))
	}
	if found := lacks(t, setup); len(found) > 0 {
		t.Errorf("it lacks %q", found)
	}
	e := must.Get(remote.Open(t.Context(), to))(t)
	defer func() { must.OK(t, e.Close()) }()
	want, got := must.Get(old.CAs(t.Context()))(t), must.Get(e.CAs(t.Context()))(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("its CAs: %s", diff)
	}
	issued := must.Get(vaulttest.Sign(t.Context(), e, vault.SignRequest{
		CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "zoe", Emails: []string{"zoe@example.org"},
	}))(t)
	ca := must.Get(x509.ParseCertificate(want[0].Chain[0]))(t)
	must.OK(t, issued.Certificate.CheckSignatureFrom(ca))
	must.OK(t, e.Revoke(t.Context(), vault.Revocation{Serial: issued.Serial, At: time.Now(), Certificate: issued.Certificate.Raw}))
	list := must.Get(x509.ParseRevocationList(must.Get(e.CRL(t.Context(), vault.Active))(t).DER))(t)
	must.OK(t, list.CheckSignatureFrom(ca))
	if len(list.RevokedCertificateEntries) != 1 {
		t.Errorf("its CRL has %d entries", len(list.RevokedCertificateEntries))
	}
}

// TestSeveralAreTaken: all CAs of an embedded vault come along, as they are, one of them only requested. The
// one that setup made before signs no more, and is not the first.
func TestSeveralAreTaken(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*testing.T, remote.Mounts){
		"set up": func(*testing.T, remote.Mounts) {}, "set up by an earlier version": earlier,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			severalTaken(t, before)
		})
	}
}

func severalTaken(t *testing.T, before func(*testing.T, remote.Mounts)) {
	t.Helper()
	ctx := t.Context()
	old := must.Get(embedded.Open(ctx, embedded.Options{
		Path: filepath.Join(t.TempDir(), "vault.db"), PublicBase: vaultserver.PublicBase, Logger: slog.New(slog.DiscardHandler),
		CAKeyType: piv.ECP256,
	}))(t)
	defer func() { must.OK(t, old.Close()) }()
	next := must.Get(old.NewCA(ctx, vault.NewCA{KeyType: piv.ECP256, CommonName: "Tokens 2"}))(t)
	must.OK(t, old.InstallCA(ctx, next.ID, vaulttest.NewRoot(t).Sign(t, next.CSR)))
	must.OK(t, old.ActivateCA(ctx, next.ID))
	must.Get(old.NewCA(ctx, vault.NewCA{KeyType: piv.RSA2048, CommonName: "Keyward Root CA 3", SelfSigned: true}))(t)
	asked := must.Get(old.NewCA(ctx, vault.NewCA{KeyType: piv.ECP384, CommonName: "Tokens 4"}))(t)
	server := vaultserver.Shared(t)
	to := server.Operator()
	server.Prepare(t, to)
	before(t, to.Mounts)
	e := open(t, server.AppRole(t, to))
	made := must.Get(vault.ActiveCA(ctx, e))(t)
	setup := must.Get(remote.NewSetup(ctx, to, remote.Preparation{ImportCAs: must.Get(old.ExportCAs(ctx))(t), Profiles: noProfiles}))(t)
	defer func() { must.OK(t, setup.Close()) }()
	for _, item := range must.Get(setup.Examine(ctx))(t) {
		must.OK(t, item.Apply(ctx))
	}
	if found := lacks(t, setup); len(found) > 0 {
		t.Errorf("it lacks %q", found)
	}
	byID := func(cas []vault.CA) map[string]vault.CA {
		m := map[string]vault.CA{}
		for _, ca := range cas {
			m[ca.ID] = ca
		}
		return m
	}
	e = open(t, server.AppRole(t, to))
	want, got := byID(must.Get(old.CAs(ctx))(t)), byID(must.Get(e.CAs(ctx))(t))
	want[made.ID] = vault.CA{ID: made.ID, Chain: made.Chain}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("CAs: %s", diff)
	}
	issued := must.Get(vaulttest.Sign(ctx, e, zoe(t)))(t)
	if issued.CA != next.ID {
		t.Errorf("signed by %s", issued.CA)
	}
	addressed(t, issued, false)
	must.OK(t, e.InstallCA(ctx, asked.ID, vaulttest.NewRoot(t).Sign(t, asked.CSR)))
	must.OK(t, e.ActivateCA(ctx, asked.ID))
	revokes(t, e, issued, must.Get(vaulttest.Sign(ctx, e, zoe(t)))(t))
}

func noProfiles(context.Context, vault.KV) ([]remote.ProfileRole, error) { return nil, nil }
