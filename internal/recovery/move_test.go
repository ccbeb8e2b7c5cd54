package recovery_test

import (
	"context"
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

// TestMoveHistory: an installation with everything by which its sides know each
// other, whose last server was killed, is moved. On the target nothing is found, at
// start and afterwards, and it goes on: what was revoked stays so, a certificate
// among it that no record knows, and the logs are whole.
func TestMoveHistory(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 7)) // #nosec G404 -- a history that can be told again
	ctx := t.Context()
	dir := t.TempDir()
	w := newWorldIn(t,
		&databaseFile{files{t: t, dir: t.TempDir(), names: []string{"keyward.db", "keyward.db-wal", "keyward.db-shm"}}},
		&vaultFile{files{t: t, dir: t.TempDir(), names: []string{"vault.db"}}, filepath.Join(dir, "seal.key")})
	must.OK(t, w.guard().Start(ctx))
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

// days have each thing happen that one side remembers of the other, in some order.
func (w *world) days(random *rand.Rand) {
	w.t.Helper()
	ctx, s := context.Background(), w.servers[0]
	deeds := map[string]func() error{
		"sign": func() error { _, err := w.sign(ctx, s); return err }, "revoke": func() error { _, err := w.revoke(ctx, s); return err },
		"rotate": func() error { return w.rotate(ctx, s) }, "release": func() error { return w.release(ctx, s) },
		"seal": func() error { return w.seal(ctx, s) }, "flush": func() error { return s.certs.Issuances.Flush(ctx) },
		"round": func() error { return s.guard.Round(ctx) }, "reconcile": func() error { return w.reconcile(ctx, s) },
	}
	order := slices.Sorted(maps.Keys(deeds))
	for range 3 {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, name := range order {
			if err := deeds[name](); err != nil {
				w.t.Fatal(name, err)
			}
		}
	}
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
