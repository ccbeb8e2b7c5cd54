package rollback_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/test/must"
)

// live reports whether both sides may be copied while a server has them open.
func (w *world) live() bool {
	_, db := w.database.(*databaseFile)
	_, vaults := w.vaults.(*vaultFile)
	return db && vaults
}

// copied copies a side as it is.
func (w *world) copied(t *testing.T, side string) any {
	t.Helper()
	if !w.live() {
		w.kill()
		defer w.begins(t, "")
	}
	return w.place(side).copied()
}

// begins starts a server, which finds that side older, and publishes what either
// side has as revoked, unless the database is older.
func (w *world) begins(t *testing.T, older string) {
	t.Helper()
	w.open()
	known := w.revoked()
	must.OK(t, w.guard().Start(t.Context()))
	w.finds(t, older)
	if !w.guard().Publishes() {
		return
	}
	must.OK(t, w.servers[0].certs.PublishRevocations(t.Context()))
	list := w.listed()
	for serial := range known {
		if !list[serial] {
			t.Errorf("%s is revoked no more", serial)
		}
	}
}

// finds: that side is older, and stays so over several looks; secrets are held back
// then, and with an older database nobody is let in.
func (w *world) finds(t *testing.T, older string) {
	t.Helper()
	ctx, g := t.Context(), w.guard()
	for _, do := range []func(context.Context) error{g.Poll, g.Again} {
		must.OK(t, do(ctx))
		if got := strings.TrimSpace(found(g)); got != older {
			t.Fatalf("%qis older, want %q\n%s", got, older, w.log.String())
		}
	}
	held, barred := g.SigningBlocked(ctx), g.SignInBlocked()
	if fault.Is(held, fault.RecoveryRequired) != (older != "") || fault.Is(barred, fault.RecoveryRequired) != (older == "database") {
		t.Fatalf("%q is older: held %v, barred %v", older, held, barred)
	}
}

// TestKilledAnywhere: between whichever two writes of an action a server is killed,
// neither side is older for the next one, no revocation is lost, and no issued
// certificate is forgotten by both.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must.OK(t, w.guard().Start(t.Context()))
	handed := map[string]bool{}
	for _, deed := range []struct {
		name string
		do   func(context.Context, *server) error
	}{
		{"seal", w.seal},
		{"sign, and flush", func(ctx context.Context, s *server) error {
			serial, err := w.sign(ctx, s)
			if err == nil {
				handed[serial] = true
				err = s.certs.Issuances.Flush(ctx)
			}
			return err
		}},
		{"revoke", func(ctx context.Context, s *server) error { _, err := w.revoke(ctx, s); return err }},
		{"revoke what is unknown", func(ctx context.Context, s *server) error { _, err := w.revokeUnknown(ctx, s); return err }},
		{"rotate", w.rotate},
		{"release", w.release},
		{"reconcile", w.reconcile},
		{"round", func(ctx context.Context, s *server) error { return s.guard.Round(ctx) }},
		{"start", func(ctx context.Context, _ *server) error { return w.server(w.now).guard.Start(ctx) }},
		{"stop", func(ctx context.Context, _ *server) error { return w.stop(ctx) }},
	} {
		for cut, whole := 0, false; !whole; cut++ {
			w.life.left = cut
			err := deed.do(t.Context(), w.servers[0])
			w.life.left = -1
			if whole = !w.life.over; whole {
				must.OK(t, err)
			}
			w.kill()
			w.begins(t, "")
		}
	}
	if lost := w.lost(handed); len(handed) == 0 || len(lost) > 0 {
		t.Errorf("of %d handed out, remembered nowhere: %v", len(handed), lost)
	}
	for name, verify := range w.verifications() {
		if err := verify(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPutBack: a side that is restored alone is found by whatever the other has
// learned of it since. The finding holds, and ends for good when it is accepted,
// however often that is interrupted.
func TestPutBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		side  string
		since func(w *world, ctx context.Context, s *server) error
		inUse bool // found when a secret is used
	}{
		"a revocation": {"vault", func(w *world, ctx context.Context, s *server) error {
			_, err := w.revoke(ctx, s)
			return err
		}, false},
		"two rounds": {"vault", func(_ *world, ctx context.Context, s *server) error {
			return errors.Join(s.guard.Round(ctx), s.guard.Round(ctx))
		}, false},
		"a stop":     {"vault", func(w *world, ctx context.Context, _ *server) error { return w.stop(ctx) }, false},
		"a rotation": {"vault", (*world).rotate, true},
		"a seal":     {"database", (*world).seal, false},
		"a release":  {"database", (*world).release, false},
		"a certificate": {"database", func(w *world, ctx context.Context, s *server) error {
			_, err := w.sign(ctx, s)
			return errors.Join(err, s.certs.Issuances.Flush(ctx))
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorldWithCopies(t)
			must.OK(t, w.guard().Start(t.Context()))
			must.Get(w.sign(t.Context(), w.servers[0]))(t)
			must.OK(t, w.seal(t.Context(), w.servers[0]))
			former := w.copied(t, c.side)
			must.OK(t, c.since(w, t.Context(), w.servers[0]))
			w.kill()
			w.place(c.side).put(former)
			if c.inUse && w.live() {
				w.begins(t, "")
				if err := w.release(t.Context(), w.servers[0]); !fault.Is(err, fault.RecoveryRequired) {
					t.Errorf("former secrets leave: %v", err)
				}
				w.finds(t, c.side)
			} else {
				w.begins(t, c.side)
			}
			w.accepts(t, c.side)
			if c.side == "vault" {
				must.OK(t, w.release(t.Context(), w.servers[0]))
			}
			w.kill()
			w.begins(t, "")
		})
	}
}

// accepts accepts an older side in a server that is killed before each of its writes.
func (w *world) accepts(t *testing.T, side string) {
	t.Helper()
	for cut := 0; found(w.guard()) != ""; cut++ {
		w.life.left = cut
		err := accept(t.Context(), w.guard(), side)
		w.life.left = -1
		if !w.life.over {
			must.OK(t, err)
			break
		}
		w.close()
		w.open()
		must.OK(t, w.guard().Start(t.Context()))
	}
	w.finds(t, "")
}

// TestPutBackTogether: nothing is found when both sides are restored, even if
// background tasks ran between the two copies, the vault's first.
func TestPutBackTogether(t *testing.T) {
	t.Parallel()
	w := newWorldWithCopies(t)
	must.OK(t, w.guard().Start(t.Context()))
	w.busy(t)
	live := w.live()
	if !live {
		w.kill()
	}
	vault := w.vaults.copied()
	if !live {
		w.open() // a start would be evidence
	}
	s := w.servers[0]
	for _, do := range []func(context.Context) error{w.write, s.sealer.Run, s.guard.Again, s.certs.Issuances.Flush, s.crl.Renew} {
		must.OK(t, do(t.Context()))
	}
	if live { // they are ten minutes apart
		must.OK(t, s.guard.Round(t.Context()))
	}
	database := w.copied(t, "database")
	w.busy(t)
	w.kill()
	w.vaults.put(vault)
	w.database.put(database)
	w.begins(t, "")
}
