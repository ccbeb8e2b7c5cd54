package signer_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/signer"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

// TestSealAndOpen: only the passphrase recovers the key, which is nowhere in clear text.
func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	_, key, err := ed25519.GenerateKey(nil)
	must.OK(t, err)
	var file bytes.Buffer
	must.OK(t, signer.Seal(&file, key, secret.New("a passphrase")))
	if !strings.HasPrefix(file.String(), "-----BEGIN ENCRYPTED PRIVATE KEY-----\n") || bytes.Contains(file.Bytes(), key.Seed()) {
		t.Errorf("%s", file.String())
	}
	if got, err := signer.Open(bytes.NewReader(file.Bytes()), secret.New("a passphrase")); err != nil || !got.Equal(key) {
		t.Errorf("%v", err)
	}
	for _, other := range []string{"a passphrasf", ""} {
		if _, err := signer.Open(bytes.NewReader(file.Bytes()), secret.New(other)); !errors.Is(err, signer.ErrPassphrase) {
			t.Errorf("passphrase %q: %v", other, err)
		}
	}
	if err := signer.Seal(&file, key, secret.String{}); err == nil {
		t.Error("sealed without a passphrase")
	}
	plain := must.Get(x509.MarshalPKCS8PrivateKey(key))(t)
	for name, broken := range map[string]string{
		"empty": "", "text": "a key", "cut": file.String()[:file.Len()/2], "more": file.String() + "more",
		"not encrypted": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: plain})),
		"wrong label":   string(pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: plain})),
		"older":         "-----BEGIN AGE ENCRYPTED FILE-----\n",
	} {
		if _, err := signer.Open(strings.NewReader(broken), secret.New("a passphrase")); err == nil {
			t.Errorf("%s: a key", name)
		}
	}
}

// TestOpenSSL: openssl reads the key file, and what openssl writes is a key file.
func TestOpenSSL(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, key, err := ed25519.GenerateKey(nil)
	must.OK(t, err)
	var file bytes.Buffer
	must.OK(t, signer.Seal(&file, key, secret.New("a passphrase")))
	must.OK(t, os.WriteFile(filepath.Join(dir, "ours"), file.Bytes(), 0o600))
	must.OK(t, os.WriteFile(filepath.Join(dir, "passphrase"), []byte("a passphrase\na passphrase\n"), 0o600))
	openssl := func(args ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "openssl", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("openssl %v: %v\n%s", args, err, out)
		}
		return out
	}
	public, _ := pem.Decode(openssl("pkey", "-in", "ours", "-passin", "file:passphrase", "-pubout"))
	if got, err := x509.ParsePKIXPublicKey(public.Bytes); err != nil || !key.Public().(ed25519.PublicKey).Equal(got) {
		t.Errorf("read by openssl: %v", err)
	}
	for _, how := range [][]string{nil, {"-scrypt"}, {"-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA1"}} {
		args := []string{"pkcs8", "-topk8", "-in", "ours", "-passin", "file:passphrase", "-passout", "file:passphrase"}
		text := openssl(append(args, how...)...)
		if got, err := signer.Open(bytes.NewReader(text), secret.New("a passphrase")); err != nil || !got.Equal(key) {
			t.Errorf("written by openssl %v: %v", how, err)
		}
	}
}

// TestIssue: the server accepts what is issued; issuing refuses the rest.
func TestIssue(t *testing.T) {
	t.Parallel()
	public, key, err := ed25519.GenerateKey(nil)
	must.OK(t, err)
	now := time.Now()
	l := license.License{
		InstallationID: strings.Repeat("A", 43) + "=", CustomerName: "Zoë & Søn", CustomerEmail: "it@example.com", LicenseType: "enterprise",
		IssueDate: now, ExpiryDate: now.AddDate(1, 0, 0),
	}
	file := must.Get(signer.Issue(key, l))(t)
	if _, err := (license.Keys{public}).Verify(must.Get(license.Parse(file.Text()))(t)); err != nil {
		t.Error(err)
	}
	l.CustomerName = ""
	if _, err := signer.Issue(key, l); err == nil {
		t.Error("a license for nobody")
	}
}
