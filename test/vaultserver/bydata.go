package vaultserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/must"
)

// Wanted reports whether the tests' servers use a remote vault, each on its own mounts:
// KEYWARD_TEST_VAULT is "remote", and not "embedded" or empty.
func Wanted(t testing.TB) bool {
	t.Helper()
	switch v := os.Getenv("KEYWARD_TEST_VAULT"); v {
	case "", "embedded":
		return false
	case "remote":
		return true
	default:
		t.Fatalf("KEYWARD_TEST_VAULT is %q; it is embedded or remote", v)
		return false
	}
}

// byData are the mounts of this process's servers, by their data directory, so that a
// restarted server finds its secrets.
var byData sync.Map

// ForData returns the settings, by name, of a server on a data directory.
func ForData(t testing.TB, data string) map[string]string {
	t.Helper()
	return Settings(t, mountsOf(t, data))
}

func mountsOf(t testing.TB, data string) remote.Options {
	t.Helper()
	if known, ok := byData.Load(data); ok {
		return known.(remote.Options)
	}
	s := Shared(t)
	o := s.Operator()
	// One CA for all, so that what one of them signed is valid for the others, too
	// (Copy).
	s.Call(t, http.MethodPost, "sys/mounts/"+o.Mounts.PKI, map[string]any{
		"type": "pki", "config": map[string]string{"max_lease_ttl": "87600h"},
	})
	s.Call(t, http.MethodPost, o.Mounts.PKI+"/config/ca", map[string]string{"pem_bundle": must.Get(fixtureCA())(t)})
	s.Prepare(t, o)
	o = s.AppRole(t, o)
	byData.Store(data, o)
	return o
}

// SetUpAgain is keyward vault setup after a change of profiles, where a data directory's server has a
// remote vault.
func SetUpAgain(t testing.TB, data, site string) {
	t.Helper()
	if known, ok := byData.Load(data); ok {
		o := Shared(t).Operator()
		o.Mounts, o.PublicBase = known.(remote.Options).Mounts, site
		Shared(t).Prepare(t, o)
	}
}

// Site tells the vault the address of a data directory's server, which is unknown until
// it listens: certificates carry it.
func Site(t testing.TB, data, site string) {
	t.Helper()
	s, m := Shared(t), mountsOf(t, data).Mounts
	issuer := m.PKI + "/issuer/default"
	addresses := map[string]any{}
	for name, first := range map[string]string{"crl_distribution_points": "/api/pki/crl", "issuing_certificates": "/api/pki/ca"} {
		path := first
		if list, _ := s.Call(t, http.MethodGet, issuer, nil)[name].([]any); len(list) > 0 { // a later CA has others
			if _, later, ok := strings.Cut(list[0].(string), first+"/"); ok {
				path += "/" + later
			}
		}
		addresses[name] = []string{site + path}
	}
	s.Call(t, http.MethodPatch, issuer, addresses)
}

// Copy gives a data directory's server another's secrets, and a CRL whose number is not
// lower.
func Copy(t testing.TB, from, to string) {
	t.Helper()
	s, a, b := Shared(t), mountsOf(t, from).Mounts.KV, mountsOf(t, to).Mounts.KV
	var walk func(prefix string)
	walk = func(prefix string) {
		names, _ := s.Call(t, http.MethodGet, a+"/metadata/"+prefix+"?list=true", nil)["keys"].([]any)
		for _, name := range names {
			path := prefix + name.(string)
			if strings.HasSuffix(path, "/") {
				walk(path)
				continue
			}
			if path == vault.RolesPath { // setup's, in each
				continue
			}
			was := s.Call(t, http.MethodGet, a+"/data/"+path, nil)
			// The database may remember how often it was written.
			last := int(was["metadata"].(map[string]any)["version"].(float64))
			for cas := range last {
				s.Call(t, http.MethodPost, b+"/data/"+path, map[string]any{"options": map[string]int{"cas": cas}, "data": was["data"]})
			}
		}
	}
	walk("")
	for want := s.crlNumber(t, mountsOf(t, from).Mounts.PKI); s.crlNumber(t, mountsOf(t, to).Mounts.PKI) < want; {
		s.Call(t, http.MethodGet, mountsOf(t, to).Mounts.PKI+"/crl/rotate", nil)
	}
}

func (s *Server) crlNumber(t testing.TB, mount string) uint64 {
	t.Helper()
	raw := must.Get(s.send(t.Context(), s.Address, http.MethodGet, mount+"/crl", nil))(t)
	return must.Get(x509.ParseRevocationList(raw))(t).Number.Uint64()
}

// townCA is the CA of all of them, PEM with its key.
var fixtureCA = sync.OnceValues(func() (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(4711), Subject: pkix.Name{CommonName: "Keyward Root CA"}, NotBefore: time.Now().Add(-time.Minute),
		NotAfter: time.Now().AddDate(10, 0, 0), IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return "", err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return "", err
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})) +
		string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})), nil
})
