package pki_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// putBack is a vault that returns an old list again, like one restored from a snapshot.
type putBack struct {
	vault.PKI
	past  atomic.Pointer[vault.CRL]
	times atomic.Int64 // how often it still does
	asked atomic.Int64
}

func (p *putBack) CRL(ctx context.Context, ca string) (vault.CRL, error) {
	p.asked.Add(1)
	if past := p.past.Load(); past != nil && p.times.Add(-1) >= 0 {
		return *past, nil
	}
	return p.PKI.CRL(ctx, ca)
}

// older returns an installation whose vault revoked 4a01, was saved, revoked 4a02, which every
// server knows of, and was restored.
func older(t *testing.T, times int64) (installation, *putBack) {
	t.Helper()
	i := newInstallation(t)
	i.revoke(t, "4a01")
	saved := must.Get(i.vault.CRL(t.Context(), vault.Active))(t)
	i.revoke(t, "4a02")
	server, _ := i.server(time.Now)
	fetched(t, server)
	way := &putBack{PKI: i.vault}
	way.past.Store(&saved)
	way.times.Store(times)
	return i, way
}

// TestOlderVault: a server that starts after the vault was restored serves the newest list that any
// server had, until it expires, and says so; it uses the vault's own once that is newer.
func TestOlderVault(t *testing.T) {
	t.Parallel()
	i, way := older(t, 1000)
	var later atomic.Int64
	var log bytes.Buffer
	c := &pki.CRLCache{
		PKI: way, Shared: i.db, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Now: func() time.Time { return time.Now().Add(time.Duration(later.Load())) },
	}
	if !lists(t, c, "4a02") || !lists(t, c, "4a01") {
		t.Error("a revocation has gone from the list")
	}
	vaults, served, is := c.RolledBack()
	if !is || vaults >= served || !c.Status().IsStale || c.Status().ExpiresIn != "0s" {
		t.Errorf("the vault has %d, %d is served, %v; %+v", vaults, served, is, c.Status())
	}
	asked := way.asked.Load()
	if !lists(t, c, "4a02") || way.asked.Load() != asked {
		t.Error("the vault is asked for its long list with each request")
	}
	if err := c.Refresh(t.Context()); !errors.Is(err, vault.ErrOutdated) || !fault.Is(err, fault.VaultUnavailable) {
		t.Errorf("a revocation that the vault has lost: %v", err)
	}
	later.Store(int64(47 * time.Hour))
	if !lists(t, c, "4a02") || way.asked.Load() == asked {
		t.Error("later the list is another, or the vault is not asked again")
	}
	if n := strings.Count(log.String(), "restored from a snapshot"); n != 1 {
		t.Errorf("said %d times: %s", n, &log)
	}
	later.Store(int64(49 * time.Hour))
	if _, _, err := c.CRL(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
		t.Errorf("when the list has ended: %v", err)
	}
	later.Store(0)
	way.past.Store(nil)
	must.OK(t, c.Refresh(t.Context()))
	if _, _, is := c.RolledBack(); is || !lists(t, c, "4a02") || c.Status().IsStale {
		t.Errorf("the vault's own list counts again: %+v", c.Status())
	}
}

// TestNewerMeanwhile: another server's newer list, fetched since this one asked, is no sign of an
// older vault.
func TestNewerMeanwhile(t *testing.T) {
	t.Parallel()
	i, way := older(t, 1)
	c := &pki.CRLCache{PKI: way, Now: time.Now, Shared: i.db}
	fetched(t, c)
	if _, _, is := c.RolledBack(); is || !lists(t, c, "4a02") || c.Status().IsStale {
		t.Errorf("%+v", c.Status())
	}
}

// ending is a vault whose list has expired.
type ending struct {
	changing
	ended atomic.Bool
}

func (e *ending) CRL(ctx context.Context, ca string) (vault.CRL, error) {
	list, err := e.changing.CRL(ctx, ca)
	if e.ended.Load() {
		list.NextUpdate = time.Now().Add(-time.Second)
	}
	return list, err
}

// TestReplacedCA: a new CA numbers its lists from the start. Neither the former CA's number or kept
// list bars them, nor a refusal of the first.
func TestReplacedCA(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	for _, serial := range []string{"4a01", "4a02", "4a03"} {
		i.revoke(t, serial)
		must.Get(i.vault.CRL(t.Context(), vault.Active))(t)
	}
	way := &ending{changing: changing{PKI: i.vault}}
	c := &pki.CRLCache{PKI: way, Now: time.Now, Shared: i.db}
	fetched(t, c)
	before, _ := must.Both(c.CRL(t.Context()))(t)
	must.Get(c.CA(t.Context()))(t)
	var other vault.PKI = engine.Vault(t, t.TempDir(), nil)
	way.next.Store(&other)
	way.ended.Store(true)
	if err := c.Refresh(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
		t.Errorf("a list that has ended: %v", err)
	}
	way.ended.Store(false)
	must.OK(t, c.Refresh(t.Context()))
	must.OK(t, c.Keep(t.Context(), true))
	after, _ := must.Both(c.CRL(t.Context()))(t)
	if after.Number >= before.Number || after.ETag == before.ETag {
		t.Errorf("number %d after %d", after.Number, before.Number)
	}
	want := must.Get(vault.ActiveCA(t.Context(), other))(t).Chain
	if got := must.Get(c.CA(t.Context()))(t); !bytes.Equal(got, want[0]) {
		t.Error("the former CA is shown")
	}
	// A server that starts while the vault is away serves the new CA's list.
	away := &cutOff{PKI: way}
	away.away.Store(true)
	fresh := &pki.CRLCache{PKI: away, Now: time.Now, Shared: i.db}
	if kept, _ := must.Both(fresh.CRL(t.Context()))(t); kept.ETag != after.ETag {
		t.Errorf("number %d is kept, not %d", kept.Number, after.Number)
	}
}

// recorded is a database with that newest certificate.
type recorded struct {
	*store.DB
	der []byte
}

func (r recorded) NewestCertificate(context.Context, string) ([]byte, error) { return r.der, nil }

// TestForeignCopy: a list planted in the database with the CA that signed it is not served in an
// outage, nor is that CA, unless it signed the recorded certificate.
func TestForeignCopy(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	request := vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "zoe"}
	issued := must.Get(vaulttest.Sign(t.Context(), i.vault, request))(t)
	ours, _ := i.server(time.Now)
	fetched(t, ours)
	outage := func() *pki.CRLCache {
		way := &cutOff{PKI: i.vault}
		way.away.Store(true)
		return &pki.CRLCache{PKI: way, Now: time.Now, Shared: recorded{i.db, issued.Certificate.Raw}}
	}
	c := outage()
	if _, _, err := c.CRL(t.Context()); err != nil {
		t.Errorf("our own copy: %v", err)
	}
	if got := must.Get(c.CA(t.Context()))(t); !bytes.Equal(got, must.Get(ours.CA(t.Context()))(t)) {
		t.Error("the CA is another one")
	}

	other := engine.Vault(t, t.TempDir(), nil)
	list, chain := must.Get(other.CRL(t.Context(), vault.Active))(t), must.Get(vault.ActiveCA(t.Context(), other))(t).Chain
	genuine := must.Get(vault.ActiveCA(t.Context(), i.vault))(t).Chain
	for n, copied := range []pki.CRLCopy{
		{Chain: chain, DER: list.DER, Number: list.Number},
		{Chain: append(genuine[:1:1], chain...), DER: must.Get(i.vault.CRL(t.Context(), vault.Active))(t).DER, Number: 1000},
	} {
		copied.FetchedAt = time.Now().Add(time.Duration(n+1) * time.Second)
		must.OK(t, i.db.KeepCRL(t.Context(), copied))
		c := outage()
		if n == 0 { // ours is still there
			if got := must.Get(c.Chain(t.Context()))(t); !bytes.Equal(got, must.Get(ours.Chain(t.Context()))(t)) {
				t.Error("another's CA is among ours")
			}
			must.Both(c.CRL(t.Context()))(t)
			continue
		}
		if _, _, err := c.CRL(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
			t.Errorf("copy %d: %v", n, err)
		}
		if _, err := c.Chain(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
			t.Errorf("the CA of copy %d: %v", n, err)
		}
	}
}
