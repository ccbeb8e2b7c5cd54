package oidc_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/server"
)

const (
	adminPassword = "the administrator's own"
	clientSecret  = "the secret of the client keyward"
)

// world is a server whose single sign-on uses a provider, with two organizations.
type world struct {
	*provider
	site  string
	data  string
	logs  *await.Text
	admin string // access token
	desk  *browser
	orgs  map[string]any
	set   m // the settings as they were sent
	halt  func()
}

// newWorld creates the world; more and config override its settings and the provider's
// configuration.
func newWorld(t *testing.T, more, config m) *world {
	t.Helper()
	w := &world{data: t.TempDir(), logs: &await.Text{}, orgs: m{}}
	w.serve(t)
	w.desk = newBrowser(t, w.site, "")
	w.admin = w.desk.must(200, "POST", "/api/auth/login", "", m{"username": "admin", "password": adminPassword})["access_token"].(string)
	for _, name := range []string{"a", "b"} {
		w.orgs[name] = w.desk.must(201, "POST", "/api/admin/organizations", w.admin, m{"name": name})["id"]
	}
	w.provider = newProvider(t, w.site, config)
	w.set = m{
		"enabled": true, "name": "Example ID", "issuer": w.issuer, "client_id": "keyward", "client_secret": clientSecret,
		"scopes": []string{"openid", "email", "profile", "groups"}, "default_role": "user", "default_organization_id": w.orgs["a"],
		"logout_at_provider": true,
	}
	w.change(more)
	return w
}

// change stores the settings, with some changed.
func (w *world) change(more m) {
	w.t.Helper()
	for k, v := range more {
		w.set[k] = v
	}
	w.desk.must(200, "PUT", "/api/admin/settings/oidc", w.admin, w.set)
}

func (w *world) serve(t *testing.T) {
	t.Helper()
	var base string
	log := slog.NewJSONHandler(w.logs, &slog.HandlerOptions{Level: slog.LevelDebug})
	base, w.halt = server.Run(t, w.data, server.Settings{"KEYWARD_ADMIN_PASSWORD": adminPassword}, log)
	w.site = strings.Replace(base, "127.0.0.1", "localhost", 1) // the default SITE_URL
}

// audited returns the entries of an action, newest first, as "outcome details".
func (w *world) audited(action string) []string {
	w.t.Helper()
	var out []string
	for _, item := range w.desk.must(200, "GET", "/api/admin/audit?limit=500&action="+action, w.admin, nil)["items"].([]any) {
		e := item.(map[string]any)
		out = append(out, e["outcome"].(string)+" "+e["details"].(string))
	}
	return out
}

// authenticated returns the time of a session's latest proof of identity, according to
// the database.
func (w *world) authenticated(session any) time.Time {
	w.t.Helper()
	var at int64
	row := engine.SQL(w.t, w.data).QueryRowContext(w.t.Context(), "SELECT authenticated_at FROM sessions WHERE id = $1", session)
	if err := row.Scan(&at); err != nil {
		w.t.Fatal(err)
	}
	return time.UnixMicro(at)
}

// age makes a session's proof of identity an hour old.
func (w *world) age(session any) {
	w.t.Helper()
	engine.Execute(w.t, w.data, "UPDATE sessions SET authenticated_at = authenticated_at - ? WHERE id = ?",
		time.Hour.Microseconds(), session)
}

// endTrial stores an expired trial in the database, and waits until the server notices.
func (w *world) endTrial() {
	w.t.Helper()
	began := time.Now().AddDate(0, 0, -31).UTC().Format(time.RFC3339)
	engine.Execute(w.t, w.data, "UPDATE settings SET value = ? WHERE name = 'license_facts'",
		`{"trial_started_at":"`+began+`","latest_seen_at":"`+began+`","newest_issue":"0001-01-01T00:00:00Z"}`)
	await.That(w.t, "the server hears that the trial is over", func() bool {
		return w.desk.must(200, "GET", "/api/admin/license", w.admin, nil)["restricted"] == true
	})
}

// nowhere fails the test when a text is in a file or a log line.
func (w *world) nowhere(texts ...string) {
	w.t.Helper()
	w.halt()
	places := map[string]string{"log": w.logs.String()}
	err := filepath.WalkDir(w.data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		places[path] = string(raw)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for place, content := range places {
		for i, text := range texts {
			if strings.Contains(content, text) {
				w.t.Errorf("text %d stands in %s", i, filepath.Base(place))
			}
		}
	}
}
