package embedded_test

import (
	"crypto/x509"
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

// signedBy is the CA of an engine, which signs and publishes its list.
func signedBy(t *testing.T, e *embedded.Engine) (*x509.Certificate, vault.CRL, map[string]bool) {
	t.Helper()
	ca := must.Get(x509.ParseCertificate(must.Get(vault.ActiveCA(t.Context(), e))(t).Chain[0]))(t)
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

// exported are an engine's CAs, whose numbers go on above this one.
func exported(t *testing.T, e *embedded.Engine, above uint64) []vault.ExportedCA {
	t.Helper()
	list := must.Get(e.ExportCAs(t.Context()))(t)
	for i := range list {
		list[i].Above = above
	}
	return list
}

// TestRestoreCAs: the other CA signs at once and after a restart, with its revocations and a number above
// both, even if lists are requested meanwhile. What was there before stays, with its own revocations, unless it
// signed nothing.
func TestRestoreCAs(t *testing.T) {
	t.Parallel()
	for _, drop := range []bool{false, true} {
		old := open(t, options(t.TempDir()))
		must.OK(t, old.RaiseCRL(t.Context(), vault.Active, 40, nil))
		was, last, _ := signedBy(t, old)
		opts := options(t.TempDir())
		e := open(t, opts)
		own := must.Get(vault.ActiveCA(t.Context(), e))(t)
		list := exported(t, old, last.Number)
		must.OK(t, e.Revoke(t.Context(), vault.Revocation{Serial: "41"}, vault.Revocation{Serial: "42", CA: list[0].ID}))
		signedBy(t, e)
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for range 20 {
					if _, err := e.CRL(t.Context(), vault.Active); err != nil {
						t.Error(err)
					}
				}
			})
		}
		must.OK(t, e.RestoreCAs(t.Context(), list, vault.CARestore{Replace: true, Drop: drop}))
		readers.Wait()
		check := func(above uint64) uint64 {
			t.Helper()
			ca, list, serials := signedBy(t, e)
			if !ca.Equal(was) || list.Number <= above || serials["41"] || !serials["42"] {
				t.Errorf("the same CA: %v, list %d after %d: %v", ca.Equal(was), list.Number, above, serials)
			}
			if err := e.Verify(t.Context()); err != nil {
				t.Error(err)
			}
			raw, err := e.CRL(t.Context(), own.ID)
			if drop != errors.Is(err, vault.ErrNotFound) {
				t.Errorf("the former CA's list: %v", err)
			}
			if !drop {
				former := must.Get(x509.ParseRevocationList(raw.DER))(t).RevokedCertificateEntries
				if len(former) != 1 || former[0].SerialNumber.Int64() != 0x41 {
					t.Errorf("the former CA lists %v", former)
				}
			}
			return list.Number
		}
		number := check(last.Number)
		must.OK(t, e.RestoreCAs(t.Context(), exported(t, old, number-1), vault.CARestore{Replace: true, Drop: drop}))
		number = check(number)
		must.OK(t, e.Close())
		e = open(t, opts)
		check(number)
	}
}

// TestUniteCAs: without being replaced, the CAs that sign stay, and others come beside them; one that
// was only requested, too.
func TestUniteCAs(t *testing.T) {
	t.Parallel()
	from, opts := open(t, options(t.TempDir())), options(t.TempDir())
	to := open(t, opts)
	own, theirs := must.Get(vault.ActiveCA(t.Context(), to))(t), must.Get(vault.ActiveCA(t.Context(), from))(t)
	asked := must.Get(from.NewCA(t.Context(), vault.NewCA{KeyType: piv.ECP256, CommonName: "Example Tokens"}))(t)
	for range 2 {
		must.OK(t, to.RestoreCAs(t.Context(), exported(t, from, 7), vault.CARestore{}))
	}
	must.OK(t, to.Close())
	to = open(t, opts)
	theirs.Active, theirs.First = false, false
	want := []vault.CA{own, theirs, asked}
	less := func(a, b vault.CA) bool { return a.ID < b.ID }
	if diff := cmp.Diff(want, must.Get(to.CAs(t.Context()))(t), cmpopts.SortSlices(less), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if list := must.Get(to.CRL(t.Context(), theirs.ID))(t); list.Number <= 7 {
		t.Errorf("number %d", list.Number)
	}
	must.OK(t, to.InstallCA(t.Context(), asked.ID, vaulttest.NewRoot(t).Sign(t, asked.CSR)))
}

// TestRestoreCAsRefused: what does not fit leaves the CA as it is.
func TestRestoreCAsRefused(t *testing.T) {
	t.Parallel()
	e, other := open(t, options(t.TempDir())), open(t, options(t.TempDir()))
	was, before, _ := signedBy(t, e)
	bad := exported(t, other, 0)
	bad[0].PEM = secret.New("x")
	for name, list := range map[string][]vault.ExportedCA{"no CA": bad, "a number that none can have": exported(t, other, math.MaxUint64)} {
		if err := e.RestoreCAs(t.Context(), list, vault.CARestore{Replace: true}); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if is, after, _ := signedBy(t, e); !is.Equal(was) || after.Number != before.Number {
		t.Error("the CA has changed")
	}
}
