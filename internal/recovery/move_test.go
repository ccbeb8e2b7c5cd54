//go:build exhaustive

package recovery_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// moves is how many histories with a move are told.
var moves = flag.Int("move.histories", 2, "how many histories with a move are told")

// TestMoveHistory: an installation with everything by which its sides know each
// other, with a history of deeds, kills in the middle of them, restarts and copies of
// both sides that were put back, is moved. On the target nothing is found, at start
// and afterwards, and its history goes on: what was revoked stays so, a certificate
// among it that no record knows, and the logs are whole.
func TestMoveHistory(t *testing.T) {
	t.Parallel()
	for seed := range *moves {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			moveHistory(t, rand.New(rand.NewPCG(2, uint64(seed)))) // #nosec G115 G404 -- a history that can be told again
		})
	}
}

func moveHistory(t *testing.T, random *rand.Rand) {
	t.Helper()
	ctx := t.Context()
	dir := t.TempDir()
	w := newWorldIn(t,
		&databaseFile{files{t: t, dir: t.TempDir(), names: []string{"keyward.db", "keyward.db-wal", "keyward.db-shm"}}},
		&vaultFile{files{t: t, dir: t.TempDir(), names: []string{"vault.db"}}, filepath.Join(dir, "seal.key")})
	must.OK(t, w.guard().Start(ctx))
	w.days(random)
	w.kill()
	both := []any{w.database.copied(), w.vaults.copied()}
	w.goesOn()
	w.days(random)
	if w.kill(); random.IntN(2) == 0 {
		w.database.put(both[0])
		w.vaults.put(both[1])
	}
	w.goesOn()
	w.days(random)
	unknown := must.Get(w.revokeUnknown(ctx, w.servers[0]))(t)
	revoked, marks := w.revoked(), must.Get(w.db.VaultMarks(ctx))(t)
	w.kill()
	for _, side := range []any{w.database.copied(), w.vaults.copied()} {
		for name, raw := range side.(map[string][]byte) {
			must.OK(t, os.WriteFile(filepath.Join(dir, name), raw, 0o600))
		}
	}

	server := vaultserver.Shared(t)
	o := server.Operator()
	from := config.Config{Data: dir, SiteURL: vaultserver.PublicBase}
	to := config.Config{
		Data: t.TempDir(), SiteURL: vaultserver.PublicBase, DatabaseURL: secret.New(postgrestest.Empty(t)), VaultAddr: o.Address,
		VaultToken: secret.New(server.Root), VaultCACert: filepath.Join(t.TempDir(), "ca.pem"), VaultKVMount: o.Mounts.KV,
		VaultPKIMount: o.Mounts.PKI, VaultAppRoleMount: "approle", VaultRole: o.Mounts.Role, KeyTypes: []string{"rsa-2048"},
		CertTTL: 24 * time.Hour,
	}
	must.OK(t, os.WriteFile(to.VaultCACert, o.CACert, 0o600))
	must.Get(app.Move(ctx, app.MoveRequest{From: from, To: to}, io.Discard))(t)

	moved := &world{
		t: t, now: time.Now, log: &logBook{}, alex: w.alex, signed: w.signed,
		database: &databaseServer{t, to.DatabaseURL.Reveal()}, vaults: mounts{o},
	}
	moved.open()
	t.Cleanup(moved.close)
	quiet := func(when string) {
		t.Helper()
		g := moved.servers[0].guard
		for _, do := range []func(context.Context) error{g.Start, g.Compare, g.Round, g.Round, g.Compare} {
			must.OK(t, do(ctx))
		}
		if got := found(g); got != "" {
			t.Fatalf("%s: %qis older\n%s", when, got, moved.log.String())
		}
		list := moved.listed()
		for serial := range revoked {
			if !list[serial] {
				t.Errorf("%s: %s is revoked no more", when, serial)
			}
		}
	}
	is := must.Get(moved.db.VaultMarks(ctx))(t)
	if !slices.Equal(slices.Sorted(maps.Keys(is)), slices.Sorted(maps.Keys(marks))) || len(is) != 2 {
		t.Errorf("the marks are %v, and were %v", is, marks)
	}
	quiet("moved")
	if !revoked[unknown] {
		t.Errorf("%s is not among what is revoked", unknown)
	}
	moved.signIn()
	moved.days(random)
	moved.kill()
	moved.open()
	quiet("later")
	for name, verify := range moved.verifications() {
		if err := verify(ctx); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := must.Get(moved.servers[0].keys.Releases(ctx, access.All(), token))(t)
	if !s.Sound() || s.Count < 8 {
		t.Errorf("the releases: %+v", s)
	}
	// What the marks are for still holds: a document of before is known as such.
	formerDocument(t, moved)
}

// goesOn starts a server on the installation as it lies: nothing is found.
func (w *world) goesOn() {
	w.t.Helper()
	w.open()
	must.OK(w.t, w.guard().Start(context.Background()))
	if got := found(w.guard()); got != "" {
		w.t.Fatal(got, "is older\n", w.log.String())
	}
}

// days have each thing happen that one side remembers of the other, in some order,
// and now and then the server is killed in the middle of it, or restarted.
func (w *world) days(random *rand.Rand) {
	w.t.Helper()
	ctx := context.Background()
	deeds := map[string]func(*server) error{
		"sign":   func(s *server) error { _, err := w.sign(ctx, s); return err },
		"revoke": func(s *server) error { _, err := w.revoke(ctx, s); return err },
		"rotate": func(s *server) error { return w.rotate(ctx, s) }, "release": func(s *server) error { return w.release(ctx, s) },
		"seal": func(s *server) error { return w.seal(ctx, s) }, "flush": func(s *server) error { return s.certs.Issuances.Flush(ctx) },
		"round": func(s *server) error { return s.guard.Round(ctx) }, "reconcile": func(s *server) error { return w.reconcile(ctx, s) },
		"restart": func(*server) error { return w.stop(ctx) },
	}
	order := slices.Sorted(maps.Keys(deeds))
	for range 3 {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, name := range order {
			for done := false; !done; {
				done = w.did(deeds[name], random.IntN(3) == 0, random.IntN(6))
			}
		}
	}
}

// did does something, which a kill after so many writes may cut off; then a server
// starts on what that left, and it is to be done again.
func (w *world) did(do func(*server) error, killed bool, writes int) bool {
	w.t.Helper()
	if killed {
		w.life.left = writes
	}
	err := do(w.servers[0])
	w.life.left = -1
	over := w.life.over
	if !over && err != nil {
		w.t.Fatal(err, "\n", w.log.String())
	}
	if over {
		w.close()
	}
	if w.db.DB == nil {
		w.goesOn()
	}
	return !over
}

// formerDocument puts a token's former document in the place of its present one.
func formerDocument(t *testing.T, w *world) {
	t.Helper()
	ctx, path := t.Context(), token+"/secrets"
	former := must.Get(w.vault.Get(ctx, path))(t)
	must.OK(t, w.rotate(ctx, w.servers[0]))
	present := must.Get(w.vault.Get(ctx, path))(t)
	must.Get(w.vault.Put(ctx, path, former.Data, present.Number))(t)
	if err := w.release(ctx, w.servers[0]); err == nil || found(w.guard()) != "vault " {
		t.Errorf("former secrets leave: %v", err)
	}
}
