package intentlog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestOlderDatabase: a database without entries that the vault logged is reported by
// token and entry, even if it has reused their ids, until it is accepted.
func TestOlderDatabase(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ctx := t.Context()
	since := w.now().Add(-time.Hour)
	for _, serial := range []string{"key-1", "key-2", "key-1", "key-3"} {
		w.must(t, serial)
	}
	if names := must.Get(w.Missing(ctx, since))(t); len(names) != 0 {
		t.Errorf("at first: %v", names)
	}
	// Another installation's database lacks all of them.
	older := setup(t)
	older.db = engine.Store(t, t.TempDir(), store.Options{})
	older.kv = w.kv
	by := older.another()
	again, err := older.release(ctx, by, "key-1") // perhaps with the id of a lost one
	must.OK(t, err)
	names := must.Get(by.Missing(ctx, since))(t)
	if len(names) != 4 || !strings.HasPrefix(names[0], "token key-1, entry ") || !strings.HasPrefix(names[3], "token key-3, entry ") {
		t.Errorf("missing: %v", names)
	}
	for _, from := range []time.Time{since, {}} {
		if found := must.Get(by.Missing(ctx, from))(t); !slices.Equal(found, names) {
			t.Errorf("since %v: %v, want %v", from, found, names)
		}
	}
	for range 2 {
		must.OK(t, by.MarkUnaccounted(ctx))
	}
	if names := must.Get(by.Missing(ctx, since))(t); len(names) != 0 {
		t.Errorf("after it was accepted: %v", names)
	}
	report, err := intentlog.VerifyReleases(ctx, w.kv, older.db)
	if err == nil || report.Lost != 4 || report.Releases != 5 { // nobody registered a key there
		t.Errorf("verified: %+v, %v", report, err)
	}
	if s := must.Get(by.Check(ctx, "key-1"))(t); !s.Sound() || s.Lost != 2 || s.Count != 3 || again == 0 {
		t.Errorf("key-1: %+v", s)
	}
}

// TestRecent: Missing finds recent releases without reading every token's log, in
// whichever hour they were, and removes old hours.
func TestRecent(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ctx := t.Context()
	id := w.must(t, "key-1")
	w.ahead.Add(int64(2 * time.Hour))
	for i := range 5 {
		w.must(t, fmt.Sprint("key-", i+2))
	}
	hours := must.Get(w.kv.List(ctx, "_releases"))(t)
	if len(hours) != 2 {
		t.Errorf("hours: %v", hours)
	}
	engine.Execute(t, w.dir, "DELETE FROM audit_entries WHERE id = ?", id)
	if names := must.Get(w.Missing(ctx, w.now()))(t); len(names) != 0 {
		t.Errorf("of this hour: %v", names)
	}
	want := []string{fmt.Sprintf("token key-1, entry %d", id)}
	if names := must.Get(w.Missing(ctx, w.now().Add(-2*time.Hour)))(t); !slices.Equal(names, want) {
		t.Errorf("of three hours: %v", names)
	}
	w.ahead.Add(int64(9 * 24 * time.Hour))
	if names := must.Get(w.Missing(ctx, w.now().Add(-8*24*time.Hour)))(t); !slices.Equal(names, want) {
		t.Errorf("longer ago than is kept: %v", names)
	}
	if hours := must.Get(w.kv.List(ctx, "_releases"))(t); len(hours) != 0 {
		t.Errorf("nine days later: %v", hours)
	}
}
