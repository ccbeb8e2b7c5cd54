//go:build exhaustive

package app_test

import (
	"database/sql"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestMoveAfterCrash: what a killed server left only in SQLite's write-ahead log is
// moved, and the log is not changed.
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
