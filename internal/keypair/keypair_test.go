package keypair

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// made is a certificate and its key, PEM.
type made struct{ cert, key []byte }

func pair(t *testing.T, name string) made {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return made{
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
	}
}

// files are a pair's files, with the log of their reader.
type files struct {
	t         *testing.T
	cert, key string
	log       bytes.Buffer
}

func (f *files) write(path string, content []byte) {
	f.t.Helper()
	// As programs that renew certificates do: a new file replaces the old.
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		f.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		f.t.Fatal(err)
	}
}

func open(t *testing.T, m made) (*Pair, *files) {
	t.Helper()
	dir := t.TempDir()
	f := &files{t: t, cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem")}
	f.write(f.cert, m.cert)
	f.write(f.key, m.key)
	p, err := Open(f.cert, f.key, slog.New(slog.NewTextHandler(&f.log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return p, f
}

func (f *files) shows(p *Pair, want string) {
	f.t.Helper()
	if got := p.Leaf().Subject.CommonName; got != want {
		f.t.Errorf("%s is shown, want %s", got, want)
	}
}

// said checks how many lines of the log have a text.
func (f *files) said(text string, want int) {
	f.t.Helper()
	if got := strings.Count(f.log.String(), text); got != want {
		f.t.Errorf("%q stands %d times in the log, want %d:\n%s", text, got, want, f.log.String())
	}
}

// TestReplaced: the files are replaced one after the other, as in practice; in
// between the previous pair stays in use.
func TestReplaced(t *testing.T) {
	t.Parallel()
	p, f := open(t, pair(t, "first"))
	f.shows(p, "first")
	second := pair(t, "second")
	f.write(f.cert, second.cert)
	f.shows(p, "first")
	f.shows(p, "first")
	f.said("cannot use the new TLS certificate", 1)
	f.write(f.key, second.key)
	f.shows(p, "second")
	f.said("from now on", 1)
	f.shows(p, "second")
	f.said("from now on", 1)
}

// TestUnusable: whatever is in the files, or if they are missing, the previous
// pair stays in use, and each problem is logged once, never with the key.
func TestUnusable(t *testing.T) {
	t.Parallel()
	first := pair(t, "first")
	p, f := open(t, first)
	f.write(f.key, []byte("-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n"))
	f.shows(p, "first")
	f.write(f.key, first.key[:len(first.key)/2])
	f.shows(p, "first")
	if err := os.Remove(f.key); err != nil {
		t.Fatal(err)
	}
	f.shows(p, "first")
	f.shows(p, "first")
	f.said("cannot use the new TLS certificate", 3)
	f.said("c2VjcmV0", 0)
	f.said("no such file", 1)
	second := pair(t, "second")
	f.write(f.key, second.key)
	f.write(f.cert, second.cert)
	f.shows(p, "second")
	f.write(f.cert, nil)
	f.shows(p, "second")
	f.said("cannot use the new TLS certificate", 4)
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	a, b := pair(t, "a"), pair(t, "b")
	for name, m := range map[string]made{"another key": {a.cert, b.key}, "no certificate": {nil, a.key}, "no key": {a.cert, []byte("x")}} {
		dir := t.TempDir()
		f := &files{t: t}
		f.write(filepath.Join(dir, "c"), m.cert)
		f.write(filepath.Join(dir, "k"), m.key)
		if _, err := Open(filepath.Join(dir, "c"), filepath.Join(dir, "k"), slog.New(slog.DiscardHandler)); err == nil {
			t.Errorf("%s: it opens", name)
		}
	}
	if _, err := Open("nowhere", "nowhere", slog.New(slog.DiscardHandler)); err == nil {
		t.Error("files that are not there: it opens")
	}
}
