package embedded_test

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/must"
)

const (
	keyA = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	keyB = "ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
)

// TestSealed: without its key the vault opens sealed, changes nothing, and opens again with the
// key.
func TestSealed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ right, wrong embedded.Seal }{
		"wrong key":     {embedded.KeySeal(secret.Fixed(keyA)), embedded.KeySeal(secret.Fixed(keyB))},
		"no key":        {embedded.KeySeal(secret.Fixed(keyA)), embedded.KeySeal(secret.Fixed(""))},
		"malformed key": {embedded.KeySeal(secret.Fixed(keyA)), embedded.KeySeal(secret.Fixed("x"))},
		"missing file":  {embedded.KeySeal(secret.Fixed(keyA)), embedded.FileSeal(filepath.Join(t.TempDir(), "absent"))},
		"wrong passphrase": {embedded.PassphraseSeal(secret.Fixed("correct horse battery")),
			embedded.PassphraseSeal(secret.Fixed("wrong horse battery"))},
		"other kind": {embedded.KeySeal(secret.Fixed(keyA)), embedded.PassphraseSeal(secret.Fixed("correct horse battery"))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := options(t.TempDir())
			opts.Seal = c.right
			e := open(t, opts)
			must.Get(e.Put(t.Context(), "a", vault.Data(`{"pin":"1"}`), 0))(t)
			must.OK(t, e.Close())
			opts.Seal = c.wrong
			sealed := open(t, opts)
			checkSealed(t, sealed)
			must.OK(t, sealed.Close())
			opts.Seal = c.right
			e = open(t, opts)
			if v, err := e.Get(t.Context(), "a"); err != nil || string(v.Data) != `{"pin":"1"}` {
				t.Errorf("after the right key: %v", err)
			}
		})
	}
}

func checkSealed(t *testing.T, e *embedded.Engine) {
	t.Helper()
	ctx := t.Context()
	if s := e.State(ctx); s != vault.Sealed {
		t.Errorf("state %s", s)
	}
	_, getErr := e.Get(ctx, "a")
	_, putErr := e.Put(ctx, "a", vault.Data(`{}`), 0)
	_, signErr := e.Prepare(ctx, vault.SignRequest{})
	_, crlErr := e.CRL(ctx, vault.Active)
	_, caErr := e.CAs(ctx)
	for name, err := range map[string]error{
		"Get": getErr, "Put": putErr, "Sign": signErr, "CRL": crlErr, "CA": caErr,
		"Revoke": e.Revoke(ctx, vault.Revocation{Serial: "41"}), "Verify": e.Verify(ctx), "Unseal": e.Unseal(ctx),
	} {
		if !errors.Is(err, vault.ErrSealed) || !errors.Is(err, vault.ErrUnavailable) || errors.Is(err, vault.ErrTampered) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && (strings.Contains(err.Error(), keyB) || strings.Contains(err.Error(), "horse")) {
			t.Errorf("%s: the error shows a secret", name)
		}
	}
}

// TestUnseal: without the key file no new one is made; restoring it is enough.
func TestUnseal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opts := options(dir)
	e := open(t, opts)
	ca := must.Get(vault.ActiveCA(t.Context(), e))(t).Chain[0]
	must.OK(t, e.Close())
	keyFile := filepath.Join(dir, "seal", "key")
	info, err := os.Stat(keyFile)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("key file: %v, %v", info, err)
	}
	must.OK(t, os.Rename(keyFile, keyFile+".away"))
	e = open(t, opts)
	checkSealed(t, e)
	if _, err := os.Stat(keyFile); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("a new key was made for a vault that exists")
	}
	must.OK(t, os.Rename(keyFile+".away", keyFile))
	must.OK(t, e.Unseal(t.Context()))
	again, err := vault.ActiveCA(t.Context(), e)
	if err != nil || string(again.Chain[0]) != string(ca) || e.State(t.Context()) != vault.Connected {
		t.Errorf("after Unseal: %v", err)
	}
}

func TestSecondProcess(t *testing.T) {
	t.Parallel()
	opts := options(t.TempDir())
	open(t, opts)
	opts.LockTimeout = 1
	_, err := embedded.Open(t.Context(), opts)
	if !errors.Is(err, embedded.ErrLocked) || !errors.Is(err, vault.ErrUnavailable) {
		t.Errorf("second open: %v", err)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	e := open(t, options(t.TempDir()))
	must.OK(t, e.Close())
	if _, err := e.Put(t.Context(), "a", vault.Data(`{}`), 0); !errors.Is(err, vault.ErrUnavailable) || errors.Is(err, vault.ErrSealed) {
		t.Errorf("Put: %v", err)
	}
	if s := e.State(t.Context()); s != vault.Disconnected {
		t.Errorf("state %s", s)
	}
}

// TestCAOptions: they count only when the vault is created, but importing another CA is an error.
func TestCAOptions(t *testing.T) {
	t.Parallel()
	opts := options(t.TempDir())
	opts.CACommonName, opts.CAKeyType = "Example CA", piv.ECP384
	e := open(t, opts)
	der := must.Get(vault.ActiveCA(t.Context(), e))(t).Chain[0]
	cert := must.Get(x509.ParseCertificate(der))(t)
	if cert.Subject.CommonName != "Example CA" || cert.SignatureAlgorithm != x509.ECDSAWithSHA384 || !cert.IsCA ||
		cert.KeyUsage != x509.KeyUsageCertSign|x509.KeyUsageCRLSign || !cert.NotAfter.Equal(cert.NotBefore.AddDate(10, 0, 0)) {
		t.Errorf("%s, %s, %v to %v", cert.Subject, cert.SignatureAlgorithm, cert.NotBefore, cert.NotAfter)
	}
	must.OK(t, e.Close())
	opts.CACommonName, opts.CAKeyType, opts.ImportCA = "Other", piv.ECP256, secret.New("not PEM")
	if _, err := embedded.Open(t.Context(), opts); !errors.Is(err, embedded.ErrOtherCA) {
		t.Errorf("another CA to import: %v", err)
	}
	opts.ImportCA = secret.New(string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	e = open(t, opts)
	if again, err := vault.ActiveCA(t.Context(), e); err != nil || string(again.Chain[0]) != string(der) {
		t.Errorf("the CA changed, %v", err)
	}
}
