package app_test

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

func TestMove(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	to, credentials := s.target(t, postgrestest.Empty(t)), filepath.Join(t.TempDir(), "credentials")
	before := files(t, s.cfg.Data)
	want := app.MoveRequest{From: s.cfg, To: to, DryRun: true, Credentials: credentials}
	dry := must.Get(app.Move(t.Context(), want, io.Discard))(t)
	if len(dry.Obstacles) > 0 || dry.Documents < 4 || dry.Revocations != 1 || dry.Audit.Entries == 0 || dry.CRLNumber != s.number {
		t.Errorf("the dry run: %+v", dry)
	}
	users := move.Count{Table: "users", Rows: 5}
	if !slices.Contains(dry.Tables, users) {
		t.Errorf("the dry run's tables: %v", dry.Tables)
	}
	s.untouched(t, before, false)
	if tables := must.Get(store.PostgresTables(t.Context(), store.Server{URL: to.DatabaseURL}))(t); len(tables) > 0 {
		t.Errorf("the dry run made tables: %v", tables)
	}
	again := must.Get(app.Move(t.Context(), want, io.Discard))(t)
	if lacks(again) != lacks(dry) {
		t.Errorf("the dry run changed the vault: %s, before %s", lacks(again), lacks(dry))
	}

	want.DryRun = false
	report := must.Get(app.Move(t.Context(), want, io.Discard))(t)
	if !slices.Equal(report.Tables, dry.Tables) || report.Documents != dry.Documents || report.Audit != dry.Audit {
		t.Errorf("moved: %+v, the dry run said %+v", report, dry)
	}
	s.untouched(t, before, true)
	// The vault's log of releases counts no versions: writing it once is enough.
	written := vaultserver.Shared(t).Call(t, "GET", to.VaultKVMount+"/metadata/10000/releases", nil)["current_version"]
	if written != 1.0 {
		t.Errorf("the release log was written %v times", written)
	}
	err := refusedStart(t.Context(), s.cfg)
	if err == nil || !strings.Contains(err.Error(), "was moved to") || !strings.Contains(err.Error(), "docs/moving.md") {
		t.Errorf("a server on the old directory: %v", err)
	}
	s.serves(t, to, credentials)
	if done := must.Get(app.Move(t.Context(), want, io.Discard))(t); done.Before.IsZero() {
		t.Errorf("moved once more: %+v", done)
	}
}

// lacks names what a vault is reported to lack.
func lacks(r move.Report) string {
	var names []string
	for _, item := range r.Setup {
		names = append(names, item.Name+strings.Join(item.Lacks, ";"))
	}
	return strings.Join(names, "\n")
}
