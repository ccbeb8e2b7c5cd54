//go:build exhaustive

package app_test

import (
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestMoveAfterCrash: what stands in SQLite's write-ahead log alone, as a server
// leaves it that was killed, is moved, and the log stays as it is.
func TestMoveAfterCrash(t *testing.T) {
	t.Parallel()
	whole := newSmall(t)
	db := must.Get(sql.Open("sqlite", filepath.Join(whole.cfg.Data, "keyward.db")))(t)
	db.SetMaxOpenConns(1)
	must.Get(db.ExecContext(t.Context(), "UPDATE organizations SET name = 'from the log' WHERE name = 'org b'"))(t)
	s := whole.copied(t, files(t, whole.cfg.Data))
	must.OK(t, db.Close())
	before := files(t, s.cfg.Data)
	if len(before["keyward.db-wal"]) == 0 || strings.Contains(before["keyward.db"], "from the log") {
		t.Fatal("the change is not in the log alone")
	}
	want := app.MoveRequest{From: s.cfg, To: s.target(t, engine.Postgres(t)), Credentials: filepath.Join(t.TempDir(), "credentials")}
	must.Get(app.Move(t.Context(), want, io.Discard))(t)
	s.untouched(t, before, true)
	w := s.start(t, want.To, want.Credentials)
	w.tokens["admin"], _ = w.login("admin", adminPassword)
	list := w.items("admin", "/api/admin/organizations")
	if !slices.ContainsFunc(list, func(o map[string]any) bool { return o["name"] == "from the log" }) {
		t.Errorf("what the log held is not there: %v", list)
	}
	must.OK(t, w.stop())
}

// TestMoveElsewhere: a move goes on with the place that it began with, and no
// other: not another database, not another mount, not another CA.
func TestMoveElsewhere(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	want := app.MoveRequest{From: s.cfg, To: s.target(t, engine.Postgres(t)), At: func(point string) error {
		if point == "after documents" {
			return errCut
		}
		return nil
	}}
	if _, err := app.Move(t.Context(), want, io.Discard); err == nil {
		t.Fatal("it was not broken off")
	}
	mark := must.Get(os.ReadFile(filepath.Join(s.cfg.Data, move.MarkFile)))(t)
	for name, change := range map[string]func(r *app.MoveRequest){
		"database":  func(r *app.MoveRequest) { r.To.DatabaseURL = s.target(t, engine.Postgres(t)).DatabaseURL },
		"KV mount":  func(r *app.MoveRequest) { r.To.VaultKVMount += "-other" },
		"PKI mount": func(r *app.MoveRequest) { r.To.VaultPKIMount += "-other" },
	} {
		other := want
		other.At = nil
		change(&other)
		if _, err := app.Move(t.Context(), other, io.Discard); err == nil || !strings.Contains(err.Error(), "is being moved, to") {
			t.Errorf("another %s: %v", name, err)
		}
	}
	if string(mark) != string(must.Get(os.ReadFile(filepath.Join(s.cfg.Data, move.MarkFile)))(t)) {
		t.Error("the mark was changed")
	}
	// Somebody made another CA in the mount meanwhile.
	vaultserver.Shared(t).Call(t, "POST", want.To.VaultPKIMount+"/root/rotate/internal", map[string]any{
		"common_name": "Second CA", "key_type": "ec", "key_bits": 256, "ttl": "87600h",
	})
	vaultserver.Shared(t).Call(t, "POST", want.To.VaultPKIMount+"/root/replace", map[string]any{"default": "next"})
	want.At = nil
	if _, err := app.Move(t.Context(), want, io.Discard); err == nil || !strings.Contains(err.Error(), "the vault signs with a different CA") {
		t.Errorf("with another CA: %v", err)
	}
}
