package remote

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/licensed"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

const over = `{"status":"EXPIRED","license":null,"days_remaining":0,"installation_id":"x","trial_started_at":"1999-01-01T00:00:00Z",` +
	`"newest_issue":null,"evaluated_at":"2000-01-01T00:00:00Z","clock_behind":false}`

// TestBackendGoesOn: a backend whose license service is away counts as a trial and warns
// once. An upload says within seconds that nobody answers; all else waits for nothing.
func TestBackendGoesOn(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(*http.Request) (*http.Response, error){
		"dead": dead, "slow": slow, "trickling": trickling, "a page": says(200, "<html>"), "an error": says(500, `{"code":"internal"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "keyward.db") // never on PostgreSQL: a connection holds up the bubble's clock
			sqlitetest.Put(t, path)
			synctest.Test(t, func(t *testing.T) {
				var log await.Text
				service := &away{answer: says(200, over)}
				db := must.Get(store.OpenSQLite(t.Context(), path, store.Options{}))(t)
				defer func() { must.OK(t, db.Close()) }()
				backend := &licensed.Service{
					Port: open(t, Options{URL: "http://license.internal", transport: service}), Store: db,
					Admitted: db.Admitted, Log: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now,
				}
				look := func() {
					begin := time.Now()
					must.OK(t, backend.Look(t.Context()))
					if took := time.Since(begin); took > time.Second {
						t.Errorf("a look took %s", took)
					}
					<-time.After(licensed.LookEvery) // of the bubble's clock
				}
				look()
				if err := backend.Grows(t.Context()); !fault.Is(err, fault.LicenseRestricted) {
					t.Errorf("its trial is over: %v", err)
				}
				service.answer = answer
				for range 12 {
					look()
					begin := time.Now()
					is, err := backend.Standing(), backend.Grows(t.Context())
					if is.Status != license.Trial || is.Reached || err != nil || time.Since(begin) > 0 {
						t.Errorf("%+v, %v after %s", is, err, time.Since(begin))
					}
				}
				begin := time.Now()
				_, err := backend.Upload(t.Context(), access.Actor{}, []byte("{}"), false)
				if took := time.Since(begin); !fault.Is(err, fault.LicenseUnavailable) || took > 5*time.Second {
					t.Errorf("an upload: %v after %s", err, took)
				}
				service.answer = says(200, over)
				look()
				look()
				if err := backend.Grows(t.Context()); !fault.Is(err, fault.LicenseRestricted) {
					t.Errorf("once it answers again: %v", err)
				}
				if said := log.String(); strings.Count(said, "\n") != 2 || strings.Count(said, "level=WARN") != 1 {
					t.Errorf("the log says %q", said)
				}
			})
		})
	}
}
