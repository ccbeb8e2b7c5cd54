package pki_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"math/big"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

// choosy is a vault that names only some of its CAs, and does not answer for one's list.
type choosy struct {
	vault.PKI
	hides, fails atomic.Pointer[string]
}

func (c *choosy) CAs(ctx context.Context) ([]vault.CA, error) {
	all, err := c.PKI.CAs(ctx)
	return slices.DeleteFunc(all, func(ca vault.CA) bool { id := c.hides.Load(); return id != nil && ca.ID == *id }), err
}

func (c *choosy) CRL(ctx context.Context, ca string) (vault.CRL, error) {
	if id := c.fails.Load(); id != nil && ca == *id {
		return vault.CRL{}, vault.ErrUnavailable
	}
	return c.PKI.CRL(ctx, ca)
}

// signs returns a certificate of the active CA for the installation's database.
func (i installation) signs(t *testing.T) *x509.Certificate {
	t.Helper()
	request := vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "zoe"}
	return must.Get(vaulttest.Sign(t.Context(), i.vault, request))(t).Certificate
}

func has(t *testing.T, list *pki.SignedCRL, serial int64) bool {
	t.Helper()
	parsed := must.Get(x509.ParseRevocationList(list.DER))(t)
	return slices.ContainsFunc(parsed.RevokedCertificateEntries, func(e x509.RevocationListEntry) bool {
		return e.SerialNumber.Cmp(big.NewInt(serial)) == 0
	})
}

// TestSeveralLists: each CA's list is at its own address. A revocation that cannot be shown is an error, until the
// CA is gone or its last certificate has ended; the active CA's list counts always.
func TestSeveralLists(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	first := must.Get(vault.ActiveCA(t.Context(), i.vault))(t)
	next := must.Get(i.vault.NewCA(t.Context(), vault.NewCA{KeyType: piv.ECP256, CommonName: "Next", SelfSigned: true}))(t)
	must.OK(t, i.vault.ActivateCA(t.Context(), next.ID))
	way := &choosy{PKI: i.vault}
	var ended atomic.Pointer[string]
	c := &pki.CRLCache{PKI: way, Now: time.Now, Shared: i.db, Ended: func(id string) bool { e := ended.Load(); return e != nil && id == *e }}
	must.OK(t, i.vault.Revoke(t.Context(), vault.Revocation{Serial: "41", CA: first.ID}, vault.Revocation{Serial: "42", CA: next.ID}))
	must.OK(t, c.Refresh(t.Context()))
	for id, serials := range map[string][2]int64{first.ID: {0x41, 0x42}, next.ID: {0x42, 0x41}} {
		list, _ := must.Both(c.CRLOf(t.Context(), id))(t)
		if !has(t, list, serials[0]) || has(t, list, serials[1]) {
			t.Errorf("the list of %s", id)
		}
	}
	if main, _ := must.Both(c.CRL(t.Context()))(t); !has(t, main, 0x41) {
		t.Error("the address without an ID has not the first CA's list")
	}
	way.fails.Store(&first.ID)
	if err := c.Refresh(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
		t.Errorf("one list fails: %v", err)
	}
	ended.Store(&first.ID)
	must.OK(t, c.Refresh(t.Context()))
	if main, _ := must.Both(c.CRL(t.Context()))(t); !has(t, main, 0x42) {
		t.Error("the address without an ID is not the active CA's, once the first has ended")
	}
	if chain := must.Get(c.Chain(t.Context()))(t); !bytes.Equal(chain, pki.PEM(next.Chain...)) {
		t.Error("an ended CA is in the chain")
	}
	way.fails.Store(&next.ID)
	ended.Store(&next.ID) // a wrong record of the active one
	if err := c.Refresh(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
		t.Errorf("the active CA's list is not waited for: %v", err)
	}
	way.fails.Store(nil)
	way.hides.Store(&first.ID)
	must.OK(t, c.Refresh(t.Context()))
	if _, _, err := c.CRLOf(t.Context(), first.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("the list of a CA that is gone: %v", err)
	}
}

// TestSeveralCopies: a server that starts while the vault is away serves the lists of all CAs that have signed
// recorded certificates, each at its address, and none that somebody has planted in the database.
func TestSeveralCopies(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	first, early := must.Get(vault.ActiveCA(t.Context(), i.vault))(t), i.signs(t)
	next := must.Get(i.vault.NewCA(t.Context(), vault.NewCA{KeyType: piv.ECP256, CommonName: "Next", SelfSigned: true}))(t)
	must.OK(t, i.vault.ActivateCA(t.Context(), next.ID))
	late := i.signs(t)
	server, _ := i.server(time.Now)
	must.OK(t, server.Refresh(t.Context()))
	must.OK(t, server.Keep(t.Context(), true))
	planted := newInstallation(t)
	evil := must.Get(vault.ActiveCA(t.Context(), planted.vault))(t)
	list := must.Get(planted.vault.CRL(t.Context(), vault.Active))(t)
	must.OK(t, i.db.KeepCRL(t.Context(), pki.CRLCopy{Chain: evil.Chain, DER: list.DER, Number: list.Number, FetchedAt: time.Now()}))

	away := &cutOff{PKI: i.vault}
	away.away.Store(true)
	c := &pki.CRLCache{PKI: away, Now: time.Now, Shared: issued{recorded{i.db, late.Raw}, map[string][]byte{
		early.Issuer.String(): early.Raw, late.Issuer.String(): late.Raw,
	}}}
	for _, id := range []string{first.ID, next.ID} {
		must.Both(c.CRLOf(t.Context(), id))(t)
	}
	if got := must.Get(c.CA(t.Context()))(t); !bytes.Equal(got, first.Chain[0]) {
		t.Error("the address without an ID has not the first CA")
	}
	if chain := must.Get(c.Chain(t.Context()))(t); !bytes.Equal(chain, pki.PEM(slices.Concat(next.Chain, first.Chain)...)) {
		t.Errorf("the chain is %s", chain)
	}
	if _, _, err := c.CRLOf(t.Context(), evil.ID); err == nil {
		t.Error("a planted list is served")
	}
}

// issued is a database with the newest certificates of some issuers.
type issued struct {
	recorded
	of map[string][]byte
}

func (i issued) NewestCertificate(_ context.Context, issuer string) ([]byte, error) {
	if issuer == "" {
		return i.der, nil
	}
	return i.of[issuer], nil
}
