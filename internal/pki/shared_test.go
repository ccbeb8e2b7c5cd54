package pki_test

import (
	"context"
	"crypto/x509"
	"errors"
	"math/big"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// cutOff is a vault that can be out of reach.
type cutOff struct {
	vault.PKI
	away atomic.Bool
}

func (c *cutOff) CRL(ctx context.Context, ca string) (vault.CRL, error) {
	if c.away.Load() {
		return vault.CRL{}, vault.ErrUnavailable
	}
	return c.PKI.CRL(ctx, ca)
}

func (c *cutOff) CAs(ctx context.Context) ([]vault.CA, error) {
	if c.away.Load() {
		return nil, vault.ErrUnavailable
	}
	return c.PKI.CAs(ctx)
}

// installation is one vault and one database, which servers share.
type installation struct {
	db    *store.DB
	vault vault.Engine
}

func newInstallation(t *testing.T) installation {
	t.Helper()
	dir := t.TempDir()
	return installation{engine.Store(t, dir, store.Options{}), engine.Vault(t, dir, nil)}
}

// server is the cache of one server, which reaches the vault by a way of its own.
func (i installation) server(now func() time.Time) (*pki.CRLCache, *cutOff) {
	way := &cutOff{PKI: i.vault}
	return &pki.CRLCache{PKI: way, Now: now, Shared: i.db}, way
}

// revoke does what any server does: revoke in the vault, then move the mark.
func (i installation) revoke(t *testing.T, serial string) {
	t.Helper()
	r := vault.Revocation{Serial: serial, At: time.Now(), NotAfter: time.Now().Add(time.Hour)}
	must.OK(t, i.vault.Revoke(t.Context(), r))
	must.OK(t, i.db.MarkPublished(t.Context(), []vault.Revocation{r}, time.Now()))
}

// lists reports whether a server serves a list with that serial number, without fetching one.
func lists(t *testing.T, c *pki.CRLCache, serial string) bool {
	t.Helper()
	list, hit, err := c.CRL(t.Context())
	if err != nil || !hit {
		t.Fatalf("hit %v, %v", hit, err)
	}
	want, _ := new(big.Int).SetString(serial, 16)
	for _, e := range must.Get(x509.ParseRevocationList(list.DER))(t).RevokedCertificateEntries {
		if e.SerialNumber.Cmp(want) == 0 {
			return true
		}
	}
	return false
}

func follow(t *testing.T, c *pki.CRLCache) (ended chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended = make(chan error, 1)
	go func() { ended <- c.Follow(ctx); close(ended) }()
	t.Cleanup(func() { cancel(); <-ended })
	return ended
}

// TestFollow: one server's revocation is on the list that another has cached, even if nobody
// requests it.
func TestFollow(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	c, _ := i.server(time.Now)
	follow(t, c)
	fetched(t, c)
	for _, serial := range []string{"11", "12"} {
		if lists(t, c, serial) {
			t.Errorf("%s was not revoked yet", serial)
		}
		i.revoke(t, serial)
		await.That(t, serial+" stands on the list", func() bool { return lists(t, c, serial) })
	}
}

// fetched fills a server's cache from the vault, and keeps the list.
func fetched(t *testing.T, c *pki.CRLCache) {
	t.Helper()
	if _, hit, err := c.CRL(t.Context()); hit || err != nil {
		t.Fatalf("hit %v, %v", hit, err)
	}
	must.OK(t, c.Keep(t.Context(), true))
}

// TestFollowEnds: Follow ends with the vault or the database, so that the caller starts it again,
// and misses nothing that happened meanwhile.
func TestFollowEnds(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	c, way := i.server(time.Now)
	fetched(t, c)
	way.away.Store(true)
	ended := follow(t, c)
	i.revoke(t, "11")
	if err := await.From(t, "the vault's absence is told", ended); !fault.Is(err, fault.VaultUnavailable) {
		t.Errorf("without the vault: %v", err)
	}
	if lists(t, c, "11") {
		t.Error("where does it come from?")
	}
	way.away.Store(false)
	ended = follow(t, c)
	await.That(t, "11 stands on the list", func() bool { return lists(t, c, "11") })
	must.OK(t, i.db.Close())
	if err := await.From(t, "the database's absence is told", ended); !fault.Is(err, fault.DatabaseUnavailable) {
		t.Errorf("without the database: %v", err)
	}
}

// TestLastCopy: a server that starts while the vault is away serves what another fetched last, as a
// stale copy, and the vault's own as soon as it is back.
func TestLastCopy(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	other, otherWay := i.server(time.Now)
	i.revoke(t, "11")
	must.Both(other.CRL(t.Context()))(t)
	otherWay.away.Store(true) // before it is kept
	must.OK(t, other.Keep(t.Context(), true))

	var later atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	c, way := i.server(now)
	way.away.Store(true)
	if !lists(t, c, "11") {
		t.Error("the copy has no 11")
	}
	if st := c.Status(); !st.Cached || !st.IsStale {
		t.Errorf("%+v", st)
	}
	want := must.Get(other.Chain(t.Context()))(t)
	if got := must.Get(c.Chain(t.Context()))(t); string(got) != string(want) {
		t.Errorf("the chain is %s", got)
	}
	later.Store(int64(24 * time.Hour))
	if _, _, err := c.CRL(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
		t.Errorf("a copy of the day before: %v", err)
	}
	late, lateWay := i.server(now)
	lateWay.away.Store(true)
	if _, _, err := late.CRL(t.Context()); !fault.Is(err, fault.VaultUnavailable) || !errors.Is(err, vault.ErrUnavailable) {
		t.Errorf("a copy of the day before, at start: %v", err)
	}
	later.Store(0)
	way.away.Store(false)
	if _, hit, err := c.CRL(t.Context()); hit || err != nil {
		t.Errorf("the vault is back: hit %v, %v", hit, err)
	}
	if st := c.Status(); st.IsStale {
		t.Errorf("%+v", st)
	}
}

// TestCopyIsChecked: a list planted in the database is not served if the CA beside it did not sign
// it or its number differs; the vault's own list is never measured by it.
func TestCopyIsChecked(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	genuine := must.Get(i.vault.CRL(t.Context(), vault.Active))(t)
	chain := must.Get(vault.ActiveCA(t.Context(), i.vault))(t).Chain
	forged := append([]byte(nil), genuine.DER...)
	forged[len(forged)-1] ^= 1
	at := time.Now()
	for n, copied := range []pki.CRLCopy{
		{Chain: chain, DER: forged, Number: genuine.Number},
		{Chain: chain, DER: genuine.DER, Number: genuine.Number + 1000},
		{Chain: [][]byte{{1}}, DER: genuine.DER, Number: genuine.Number},
		{Chain: chain, DER: []byte("no list"), Number: genuine.Number + 2000},
	} {
		copied.FetchedAt = at.Add(time.Duration(n) * time.Second)
		must.OK(t, i.db.KeepCRL(t.Context(), copied))
		c, way := i.server(time.Now)
		way.away.Store(true)
		if _, _, err := c.CRL(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
			t.Errorf("copy %d: %v", n, err)
		}
		way.away.Store(false)
		if list, _, err := c.CRL(t.Context()); err != nil || list.Number != genuine.Number {
			t.Errorf("copy %d, with the vault: %v", n, err)
		}
	}
}

// changing is a vault whose CA is replaced.
type changing struct {
	vault.PKI
	next atomic.Pointer[vault.PKI]
}

func (c *changing) present() vault.PKI {
	if next := c.next.Load(); next != nil {
		return *next
	}
	return c.PKI
}

func (c *changing) CRL(ctx context.Context, ca string) (vault.CRL, error) {
	return c.present().CRL(ctx, ca)
}
func (c *changing) CAs(ctx context.Context) ([]vault.CA, error) { return c.present().CAs(ctx) }
