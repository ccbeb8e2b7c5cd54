package signer_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/signer"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

const cheap = 4 // scrypt work factor for tests

// TestSealAndOpen: only the passphrase recovers the key, which is nowhere in clear text.
func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	_, key, err := ed25519.GenerateKey(nil)
	must.OK(t, err)
	var file bytes.Buffer
	must.OK(t, signer.Seal(&file, key, secret.New("a passphrase"), cheap))
	if !strings.HasPrefix(file.String(), "-----BEGIN AGE ENCRYPTED FILE-----\n") || bytes.Contains(file.Bytes(), key.Seed()) {
		t.Errorf("%s", file.String())
	}
	if got, err := signer.Open(bytes.NewReader(file.Bytes()), secret.New("a passphrase")); err != nil || !got.Equal(key) {
		t.Errorf("%v", err)
	}
	if _, err := signer.Open(bytes.NewReader(file.Bytes()), secret.New("a passphrasf")); !errors.Is(err, signer.ErrPassphrase) {
		t.Errorf("another passphrase: %v", err)
	}
	for name, broken := range map[string]string{
		"empty": "", "text": "a key", "cut": file.String()[:file.Len()/2],
		"altered": strings.Replace(file.String(), "\n-----END", "AAAA\n-----END", 1),
	} {
		if _, err := signer.Open(strings.NewReader(broken), secret.New("a passphrase")); err == nil {
			t.Errorf("%s: a key", name)
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
