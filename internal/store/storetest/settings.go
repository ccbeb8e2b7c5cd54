package storetest

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/test/must"
)

var settingsCases = map[string]func(*testing.T, *fixture){
	"the last value counts":       settingsLast,
	"the first value stays":       settingsKept,
	"the audit log from a cursor": auditAfter,
}

func settingsLast(t *testing.T, f *fixture) {
	refused(t, "a setting that nobody made", errOf(f.Setting(t.Context(), "policy")), fault.NotFound)
	for _, text := range []string{`{"a":1}`, `{"a":2}`} {
		entry := audit.By(access.Actor{Username: "admin"}, audit.SettingsChanged, "settings", "policy", text)
		must.OK(t, f.PutSetting(t.Context(), "policy", settings.Value{Text: text, UpdatedAt: Now.Add(time.Second)}, entry))
	}
	must.OK(t, f.PutSetting(t.Context(), "other", settings.Value{Text: `"x"`, UpdatedAt: Now}))
	got := must.Get(f.Setting(t.Context(), "policy"))(t)
	equal(t, "setting", got, settings.Value{Text: `{"a":2}`, UpdatedAt: Now.Add(time.Second)})
	equal(t, "entries", len(f.logged(t)), 2)
}

// settingsKept: of many that keep a value at once, all get the same one.
func settingsKept(t *testing.T, f *fixture) {
	got := make([]settings.Value, 4)
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() {
			v := settings.Value{Text: strconv.Itoa(i), UpdatedAt: Now.Add(time.Duration(i) * time.Second)}
			kept, err := f.KeepSetting(t.Context(), "id", v)
			if got[i] = kept; err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	stands := must.Get(f.Setting(t.Context(), "id"))(t)
	for i := range got {
		equal(t, "kept", got[i], stands)
	}
}

// auditAfter walks the log from a cursor, oldest first.
func auditAfter(t *testing.T, f *fixture) {
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		f.append(t, audit.Entry{Action: "a.b", Outcome: audit.Success, Actor: "x", TargetID: id})
	}
	var got []string
	for after := f.seen; ; {
		list := must.Get(f.AuditAfter(t.Context(), after, 2))(t)
		if len(list) == 0 {
			break
		}
		for _, e := range list {
			got = append(got, e.TargetID)
			after = e.ID
		}
	}
	equal(t, "targets", got, []string{"1", "2", "3", "4", "5"})
}
