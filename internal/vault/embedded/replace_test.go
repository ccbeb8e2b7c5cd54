package embedded_test

import (
	"crypto/x509"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

// signedBy is the CA of an engine, which signs and publishes its list.
func signedBy(t *testing.T, e *embedded.Engine) (*x509.Certificate, vault.CRL, map[string]bool) {
	t.Helper()
	ca := must.Get(x509.ParseCertificate(must.Get(e.CA(t.Context()))(t)))(t)
	issued := must.Get(vaulttest.Sign(t.Context(), e, vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "alex"}))(t)
	if err := issued.Certificate.CheckSignatureFrom(ca); err != nil {
		t.Errorf("the certificate: %v", err)
	}
	list, serials := list(t, e)
	if err := must.Get(x509.ParseRevocationList(list.DER))(t).CheckSignatureFrom(ca); err != nil || string(list.CA) != string(ca.Raw) {
		t.Errorf("the list: %v", err)
	}
	return ca, list, serials
}

// TestReplaceCA: the other CA signs at once and after a restart, with the revocations of both and a
// number above both, even if lists are requested meanwhile.
func TestReplaceCA(t *testing.T) {
	t.Parallel()
	old := open(t, options(t.TempDir()))
	must.OK(t, old.RaiseCRL(t.Context(), 40, nil))
	was, last, _ := signedBy(t, old)
	opts := options(t.TempDir())
	e := open(t, opts)
	ended := time.Now().Add(-30 * 24 * time.Hour)
	must.OK(t, e.Revoke(t.Context(), vault.Revocation{Serial: "41"}, vault.Revocation{Serial: "42", NotAfter: ended}))
	signedBy(t, e)
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for range 20 {
				if _, err := e.CRL(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	exported := must.Get(old.ExportCA(t.Context()))(t)
	must.OK(t, e.ReplaceCA(t.Context(), exported, last.Number))
	readers.Wait()
	check := func(above uint64) uint64 {
		t.Helper()
		ca, list, serials := signedBy(t, e)
		if !ca.Equal(was) || list.Number <= above || !serials["41"] {
			t.Errorf("the same CA: %v, list %d after %d: %v", ca.Equal(was), list.Number, above, serials)
		}
		if err := e.Verify(t.Context()); err != nil {
			t.Error(err)
		}
		return list.Number
	}
	number := check(last.Number)
	must.OK(t, e.ReplaceCA(t.Context(), exported, number-1))
	number = check(number)
	must.OK(t, e.Close())
	e = open(t, opts)
	check(number)
}

// TestReplaceCARefused: what does not fit leaves the CA as it is.
func TestReplaceCARefused(t *testing.T) {
	t.Parallel()
	e, other := open(t, options(t.TempDir())), open(t, options(t.TempDir()))
	was, before, _ := signedBy(t, e)
	good := must.Get(other.ExportCA(t.Context()))(t)
	for name, try := range map[string]struct {
		ca    secret.String
		above uint64
	}{"no CA": {secret.New("x"), 0}, "a number that none can have": {good, math.MaxUint64}} {
		if err := e.ReplaceCA(t.Context(), try.ca, try.above); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if is, after, _ := signedBy(t, e); !is.Equal(was) || after.Number != before.Number {
		t.Error("the CA has changed")
	}
}
