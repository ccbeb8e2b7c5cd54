package intentlog_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestRecord: what leaves is recorded in both, with session, fields, reason and key.
func TestRecord(t *testing.T) {
	t.Parallel()
	w := setup(t)
	id := w.must(t, "key-1")
	e := must.Get(w.db.ListAudit(t.Context(), access.All(), audit.Filter{Target: "key-1"}, page.Request{Limit: 2}))(t).Items[0]
	want := "fields pin; session 7; agent key " + fingerprint(t, agent())
	if e.ID != id || e.Details != want || e.Reason != "forgotten PIN" {
		t.Errorf("on record: %+v, want %s", e, want)
	}
	if s := w.stands(t, "key-1"); s.Count != 1 || !s.Sound() {
		t.Errorf("in the vault: %+v", s)
	}
	if s := w.stands(t, "key-2"); s.Count != 0 || !s.Sound() {
		t.Errorf("of a token without releases: %+v", s)
	}
}

// TestNotKept: whatever the database makes of the entry, nothing leaves, the
// vault logs nothing, and administrators are told.
func TestNotKept(t *testing.T) {
	t.Parallel()
	const update = "AFTER|UPDATE audit_entries SET %s WHERE id = NEW.id;"
	for name, deed := range map[string]struct{ sqlite, postgres string }{
		"swallowed": {"BEFORE|SELECT RAISE(IGNORE);", "BEFORE|RETURN NULL;"},
		"deleted": {
			"AFTER|DELETE FROM audit_entries WHERE id = NEW.id;", "AFTER|DELETE FROM audit_entries WHERE id = NEW.id; RETURN NULL;",
		},
		"another actor": {
			fmt.Sprintf(update, "actor = 'amy', actor_key = 'amy'"), "BEFORE|NEW.actor = 'amy'; NEW.actor_key = 'amy'; RETURN NEW;",
		},
		"hidden from its token": {fmt.Sprintf(update, "target_key = 'x'"), "BEFORE|NEW.target_key = 'x'; RETURN NEW;"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			if engine.OnPostgres() {
				when, body, _ := strings.Cut(deed.postgres, "|")
				engine.Execute(t, w.dir, "CREATE FUNCTION deed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "+body+" END $$")
				engine.Execute(t, w.dir, "CREATE TRIGGER quiet "+when+" INSERT ON audit_entries FOR EACH ROW "+
					"WHEN (NEW.target_type = 'hwkey') EXECUTE FUNCTION deed()")
			} else {
				when, body, _ := strings.Cut(deed.sqlite, "|")
				engine.Execute(t, w.dir, "CREATE TRIGGER quiet "+when+" INSERT ON audit_entries WHEN NEW.target_type = 'hwkey' BEGIN "+body+" END")
			}
			_, err := w.release(t.Context(), w.Releases, "key-1")
			f, ok := fault.As(err)
			if !ok || f.Code != fault.RecoveryRequired || f.Reason != "release_not_recorded" {
				t.Errorf("released: %v", err)
			}
			if s := w.stands(t, "key-1"); s.Count != 0 {
				t.Errorf("in the vault: %+v", s)
			}
			if said := w.logged.text(); !strings.Contains(said, "level=ERROR") || !strings.Contains(said, "serial=key-1") {
				t.Errorf("logged: %s", said)
			}
		})
	}
}

// TestAnothersEntry: an entry that says something else than the release, or none, lets
// nothing leave.
func TestAnothersEntry(t *testing.T) {
	t.Parallel()
	w := setup(t)
	first := releaseOf("key-1")
	written := must.Get(w.db.RecordRelease(t.Context(), "key-1", must.Get(first.AuditEntry())(t), nil))(t)
	more := first
	more.Fields = []piv.Field{piv.PIN, piv.PUK}
	for name, entry := range map[string]audit.Entry{"another release's": written, "none": {}} {
		if err := w.Record(t.Context(), more, entry); !fault.Is(err, fault.RecoveryRequired) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if s := w.stands(t, "key-1"); s.Count != 0 {
		t.Errorf("in the vault: %+v", s)
	}
}

// TestVaultAway: without the vault nothing is released; the entry already in the
// database is reported, but not as a fault.
func TestVaultAway(t *testing.T) {
	t.Parallel()
	w := setup(t)
	away := &faultyKV{KV: w.kv, next: func(string) (bool, error) { return false, vault.ErrUnavailable }}
	w.kv = away
	id, err := w.release(t.Context(), w.another(), "key-1")
	if !fault.Is(err, fault.VaultUnavailable) {
		t.Errorf("released: %v", err)
	}
	away.next = nil
	report, err := intentlog.VerifyReleases(t.Context(), w.kv, w.db)
	if err != nil || report.Releases != 0 || report.Unknown != 1 || !slices.Equal(report.Newest, []int64{id}) {
		t.Errorf("verified: %+v, %v", report, err)
	}
}

// TestVerify: later changes to entries are reported by token and id, also on closed pages.
func TestVerify(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ids := make([]int64, 2*128+3) // two closed pages, and an open one
	for i := range ids {
		ids[i] = w.must(t, "key-1")
	}
	other := w.must(t, "key-2")
	report, err := intentlog.VerifyReleases(t.Context(), w.kv, w.db)
	if err != nil || report.Tokens != 2 || report.Releases != int64(len(ids)+1) || report.Unknown != 0 {
		t.Fatalf("before: %+v, %v", report, err)
	}
	engine.Execute(t, w.dir, "DELETE FROM audit_entries WHERE id = ?", ids[5])
	engine.Execute(t, w.dir, "UPDATE audit_entries SET reason = 'asked by phone' WHERE id = ?", ids[130])
	engine.Execute(t, w.dir, "UPDATE audit_entries SET actor_key = 'amy' WHERE id = ?", ids[258])
	_, err = intentlog.VerifyReleases(t.Context(), w.kv, w.db)
	bad, ok := errors.AsType[*intentlog.BadReleases](err)
	if !ok || len(bad.Tokens) != 1 || len(bad.Foreign) != 0 {
		t.Fatalf("after: %v", err)
	}
	s := bad.Tokens[0]
	if s.Serial != "key-1" || !slices.Equal(s.Missing, ids[5:6]) || !slices.Equal(s.Changed, []int64{ids[130], ids[258]}) || s.Problem != "" {
		t.Errorf("after: %+v", s)
	}
	want := fmt.Sprintf("token key-1: entry %d is missing, entry %d is not what was logged", ids[5], ids[130])
	if !strings.Contains(bad.Error(), want) {
		t.Errorf("told: %s", bad)
	}
	if s := w.stands(t, "key-2"); !s.Sound() || s.Count != 1 || other == 0 {
		t.Errorf("the other token: %+v", s)
	}
	w.must(t, "key-1") // and it goes on
	if s := w.stands(t, "key-1"); s.Count != int64(len(ids)+1) {
		t.Errorf("after another release: %+v", s)
	}
}

// TestVerifyPages: damage to a log in the vault is reported.
func TestVerifyPages(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for range 130 {
		w.must(t, "key-1")
	}
	first := must.Get(w.kv.Get(t.Context(), "key-1/releases/1"))(t)
	for problem, data := range map[string]string{
		"is malformed":      `{"page":1}`,
		"does not continue": strings.Replace(string(first.Data), `"page":1`, `"page":2`, 1),
		"does not match its entries": regexp.MustCompile(`"hash":".`).ReplaceAllStringFunc(string(first.Data), func(was string) string {
			if strings.HasSuffix(was, "0") {
				return `"hash":"1`
			}
			return `"hash":"0`
		}),
	} {
		version := must.Get(w.kv.Metadata(t.Context(), "key-1/releases/1"))(t).CurrentVersion
		must.Get(w.kv.Put(t.Context(), "key-1/releases/1", vault.Data(data), version))(t)
		if s := w.stands(t, "key-1"); s.Sound() || s.Problem == "" {
			t.Errorf("%s: %+v", problem, s)
		}
	}
	w.destroy(t, "key-1/releases/1")
	if s := w.stands(t, "key-1"); !strings.Contains(s.Problem, "key-1/releases/1 is missing in the vault") || s.Count != 130 {
		t.Errorf("without a page: %+v", s)
	}
}

// TestForeignKey: a release to a key that nobody registered is reported.
func TestForeignKey(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.must(t, "key-1")
	r := releaseOf("key-1")
	r.Session++ // with which nothing was registered
	written := must.Get(w.db.RecordRelease(t.Context(), "key-1", must.Get(r.AuditEntry())(t), nil))(t)
	must.OK(t, w.Record(t.Context(), r, written))
	_, err := intentlog.VerifyReleases(t.Context(), w.kv, w.db)
	bad, ok := errors.AsType[*intentlog.BadReleases](err)
	if !ok || len(bad.Tokens) != 0 || !slices.Equal(bad.Foreign, []intentlog.ForeignRelease{{Serial: "key-1", Entry: written.ID}}) {
		t.Errorf("verified: %v", err)
	}
}
