package rollback_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// between lets something happen, once, during a comparison: after the marks were read.
type between struct {
	rollback.CRL
	rollback.Log

	once func()
}

func (b *between) happens() {
	if do := b.once; do != nil {
		b.once = nil
		do()
	}
}

func (b *between) MissingRevocations(ctx context.Context) ([]string, error) {
	lacking, err := b.CRL.MissingRevocations(ctx)
	b.happens()
	return lacking, err
}

func (b *between) Ends(ctx context.Context) (chain.Ends, error) {
	ends, err := b.Log.Ends(ctx)
	b.happens()
	return ends, err
}

// older returns an installation whose vault or database is older.
func older(t *testing.T, side string) *world {
	t.Helper()
	w := newWorldWithCopies(t)
	must.OK(t, w.guard().Start(t.Context()))
	must.OK(t, w.stop(t.Context()))
	former := w.place(side).copied()
	w.open()
	must.OK(t, w.guard().Start(t.Context()))
	w.revokes(t)
	must.OK(t, w.stop(t.Context()))
	w.place(side).put(former)
	w.open()
	return w
}

// revokes issues, records, revokes and publishes a certificate.
func (w *world) revokes(t *testing.T) {
	t.Helper()
	must.Get(w.sign(t.Context(), w.servers[0]))(t)
	must.Get(w.revoke(t.Context(), w.servers[0]))(t)
}

// place returns that of the "vault" or the "database".
func (w *world) place(side string) place {
	if side == "vault" {
		return w.vaults
	}
	return w.database
}

func accept(ctx context.Context, g *rollback.Guard, side string) error {
	if side == "vault" {
		return g.AcceptVault(ctx, rollback.By{})
	}
	return g.AcceptDatabase(ctx, rollback.By{}, rollback.Accounts{})
}

// TestAcceptedMeanwhile: what a comparison read before an acceptance on another
// server is not found again afterwards.
func TestAcceptedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"vault", "database"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			for _, known := range []bool{false, true} {
				w := older(t, side)
				if known {
					must.OK(t, w.guard().Start(t.Context()))
				}
				other := w.server(time.Now).guard
				b := &between{CRL: w.guard().CRL, Log: w.guard().Audit, once: func() { must.OK(t, accept(t.Context(), other, side)) }}
				if side == "vault" {
					w.guard().CRL = b
				} else {
					w.guard().Audit = b
				}
				must.OK(t, w.guard().Compare(t.Context()))
				if b.once != nil {
					t.Fatal("nobody has accepted it meanwhile")
				}
				must.OK(t, w.guard().Poll(t.Context()))
				if got := found(w.guard()); got != "" {
					t.Errorf("known before: %v: %qolder after it was accepted\n%s", known, got, w.log.String())
				}
				w.kill()
				w.open()
				must.OK(t, w.guard().Start(t.Context()))
				if got := found(w.guard()); got != "" {
					t.Errorf("known before: %v: at the next start %qolder", known, got)
				}
			}
		})
	}
}

// TestOlderDocumentMeanwhile: an older document that was noticed before it was
// accepted is no longer older afterwards.
func TestOlderDocumentMeanwhile(t *testing.T) {
	t.Parallel()
	w := older(t, "vault")
	must.OK(t, w.guard().Start(t.Context()))
	other, accepted := w.server(time.Now).guard, false
	still := func(ctx context.Context) (bool, error) {
		if accepted {
			return false, nil
		}
		accepted = true
		return true, other.AcceptVault(ctx, rollback.By{})
	}
	must.OK(t, w.guard().DocumentRolledBack(t.Context(), "abcd", still))
	must.OK(t, w.guard().Poll(t.Context()))
	if got := found(w.guard()); got != "" || !accepted {
		t.Errorf("%qolder, accepted: %v", got, accepted)
	}
}

// TestInspectSeesTheRightOne: once the right state is restored, Inspect finds
// nothing older, like a server; for another older state it returns that one.
func TestInspectSeesTheRightOne(t *testing.T) {
	t.Parallel()
	for _, side := range []string{"vault", "database"} {
		t.Run(side, func(t *testing.T) {
			t.Parallel()
			w := newWorldWithCopies(t)
			must.OK(t, w.guard().Start(t.Context()))
			states := make([]any, 3) // each has one revocation more
			for i := range states {
				if i > 0 {
					w.open()
					must.OK(t, w.guard().Start(t.Context()))
					w.revokes(t)
				}
				must.OK(t, w.stop(t.Context()))
				states[i] = w.place(side).copied()
			}
			look := func(what string, state any) *rollback.Finding {
				t.Helper()
				w.kill()
				w.place(side).put(state)
				w.open()
				vault, database, err := w.guard().Inspect(t.Context())
				must.OK(t, err)
				f := map[string]*rollback.Finding{"vault": vault, "database": database}[side]
				if (f != nil) != (what != "the right one") {
					t.Errorf("%s: found %+v", what, f)
				}
				return f
			}
			w.place(side).put(states[0])
			w.open()
			must.OK(t, w.guard().Start(t.Context())) // recorded
			lacked := count(w.guard(), side)
			if f := look("a later one", states[1]); f != nil {
				must.OK(t, w.guard().Start(t.Context()))
				if now := count(w.guard(), side); now >= lacked || now != sum(f) {
					t.Errorf("it lacks %d, to who looks %d; the one before lacked %d", now, sum(f), lacked)
				}
			}
			look("the right one", states[2])
			must.OK(t, w.guard().Start(t.Context()))
			if got := found(w.guard()); got != "" {
				t.Errorf("a server: %qolder", got)
			}
		})
	}
}

func count(g *rollback.Guard, side string) int64 {
	return sum(map[string]*rollback.Finding{"vault": g.VaultRolledBack(), "database": g.DatabaseRolledBack()}[side])
}

func sum(f *rollback.Finding) (n int64) {
	if f != nil {
		for _, m := range f.Lacks {
			n += m.Count
		}
	}
	return n
}

// TestCountsAreTrue: later findings may be among names that were cut off: the text
// says "at least".
func TestCountsAreTrue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must.OK(t, w.guard().Start(t.Context()))
	lacking := &lacks{CRL: w.guard().CRL}
	w.guard().CRL = lacking
	names := func(from, to int) (list []string) {
		for i := from; i < to; i++ {
			list = append(list, fmt.Sprintf("%02x", 16+i))
		}
		return list
	}
	for _, c := range []struct {
		now  []string
		want string
	}{
		{names(0, 5), "5 revocations,"},
		{names(3, 8), "8 revocations,"},
		{names(0, 25), "at least 25 revocations,"},
		{names(0, 3), "at least 25 revocations,"},
		{names(30, 32), "at least 25 revocations,"},
	} {
		lacking.now = c.now
		must.OK(t, w.guard().Compare(t.Context()))
		if lines := w.guard().VaultRolledBack().Lines(); len(lines) != 1 || !strings.HasPrefix(lines[0], c.want) {
			t.Errorf("with %d more: %q, want %q", len(c.now), lines, c.want)
		}
	}
}

// lacks is a CRL that lacks what a test says, and cannot be republished.
type lacks struct {
	rollback.CRL

	now []string
}

func (l *lacks) MissingRevocations(context.Context) ([]string, error) { return l.now, nil }
func (l *lacks) Republish(context.Context, []string, uint64) error    { return nil }

// TestAcceptedForGood: errors after an acceptance was committed do not make it fail.
func TestAcceptedForGood(t *testing.T) {
	t.Parallel()
	w := older(t, "vault")
	must.OK(t, w.guard().Start(t.Context()))
	db := &committed{tables: tables{DB: w.db.DB}}
	w.guard().Database = db
	must.OK(t, w.guard().AcceptVault(t.Context(), rollback.By{Via: "a test"}))
	db.err = nil
	must.OK(t, w.guard().Poll(t.Context()))
	if got := found(w.guard()); got != "" {
		t.Errorf("%qolder", got)
	}
	if err := w.guard().AcceptVault(t.Context(), rollback.By{}); !fault.Is(err, fault.Conflict) {
		t.Errorf("accepted twice: %v", err)
	}
}

// committed is a database that is unavailable after an acceptance.
type committed struct{ tables }

func (c *committed) AcceptVault(ctx context.Context, a rollback.VaultAcceptance) error {
	err := c.DB.AcceptVault(ctx, a)
	c.err = fault.New(fault.DatabaseUnavailable, "", "away")
	return err
}

// TestCRLNumberOutOfReach: a mark that no CA can have reached blocks neither a
// server nor revocations. The embedded vault is given the number; a Vault would
// publish CRLs for hours.
func TestCRLNumberOutOfReach(t *testing.T) {
	t.Parallel()
	w := older(t, "vault")
	ca, number, err := w.guard().CRL.Number(t.Context())
	must.OK(t, err)
	const far = vault.MaxRaise - 1000
	must.OK(t, w.db.RaiseVaultMark(t.Context(), rollback.CRLMark(ca), number+far))
	err = w.guard().Compare(t.Context())
	_, remote := w.vaults.(*vaultServer)
	if remote != errors.Is(err, vault.ErrInvalid) || !remote && err != nil {
		t.Errorf("compared: %v", err)
	}
	if now := must.Get(w.vault.CRL(t.Context(), vault.Active))(t); remote == (now.Number > number+far) {
		t.Errorf("the number is %d after %d", now.Number, number)
	}
	if list := w.listed(); len(list) != 1 {
		t.Errorf("the CRL lists %v", list)
	}
	if f := w.guard().VaultRolledBack(); f == nil {
		t.Error("it is not held back")
	}
}
