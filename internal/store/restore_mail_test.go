package store_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/internal/store/storetest"
	"github.com/keyward/keyward/test/must"
)

// TestRestoredMail: mail settings that come with a backup are switched off: a copy made for testing
// writes to nobody. Over an installation in use they stay.
func TestRestoredMail(t *testing.T) {
	t.Parallel()
	set := mail.DefaultSettings()
	set.Enabled, set.Host, set.From = true, "mail.example.org", "keyward@example.org"
	put := func(db *store.DB, set mail.Settings) {
		t.Helper()
		must.OK(t, db.PutSetting(t.Context(), mail.SettingName, settings.Value{
			Text: string(must.Get(json.Marshal(set))(t)), UpdatedAt: storetest.Now,
		}))
	}
	filled := func(set mail.Settings) *store.DB {
		t.Helper()
		file := filepath.Join(t.TempDir(), "keyward.db")
		must.OK(t, storebench.Fill(t.Context(), file, storebench.Size{Organizations: 1, Users: 2, Now: storetest.Now.UnixMicro()}))
		execute(t, sqlite(t, file), "UPDATE users SET role = 'global_admin', organization_id = NULL WHERE id = 1",
			`INSERT INTO settings VALUES ('installation', '{"id":"one"}', 1)`)
		db := open(t, file, store.Options{Now: standing})
		put(db, set)
		return db
	}
	backup := dumped(t, filled(set))
	elsewhere := set
	elsewhere.Host = "other.example.org"
	off := set
	off.Enabled = false
	for name, c := range map[string]struct {
		db     *store.DB
		want   mail.Settings
		warned bool
	}{
		"bare": {openNew(t, store.Options{Now: standing}), off, true}, "elsewhere": {filled(elsewhere), elsewhere, false},
		"as it was": {filled(set), set, false},
	} {
		report := must.Get(c.db.Restore(t.Context(), backup, asked()))(t)
		if got := must.Get(mail.DecodeSettings(must.Get(c.db.Setting(t.Context(), mail.SettingName))(t).Text))(t); got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
		warned := slices.ContainsFunc(report.Warnings, func(s fault.Sentence) bool { return s.Code == "mail_restored" })
		if warned != c.warned {
			t.Errorf("%s: warned %t", name, warned)
		}
	}
}
