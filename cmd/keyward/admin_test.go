package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // to look into the database, and to change it as fate would

	"github.com/keyward/keyward/internal/app"
)

const veryFirst = "the very first password"

// place is a data directory, with a server on it or without.
type place struct {
	t    *testing.T
	data string
	url  string // of the server
	logs bytes.Buffer
	stop func()
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t: t, data: t.TempDir()}
	p.start()
	return p
}

func (p *place) getenv(k string) string {
	return map[string]string{
		"METRICS_LISTEN": "off", "PKI_CA_KEY_TYPE": "ec-p256", "KEYWARD_ADMIN_PASSWORD": veryFirst, "ACCESS_LOG": "true", "LOG_LEVEL": "DEBUG",
	}[k]
}

func (p *place) start() {
	p.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	std := IO{strings.NewReader(""), io.Discard, &p.logs, p.getenv}
	ready, done := make(chan app.Addrs, 1), make(chan error, 1)
	go func() {
		done <- serveReady(ctx, []string{"--data", p.data, "--listen", "127.0.0.1:0"}, std, func(a app.Addrs) { ready <- a })
	}()
	select {
	case a := <-ready:
		p.url = "http://" + a.API
	case err := <-done:
		cancel()
		p.t.Fatalf("the server ended: %v", err)
	}
	stopped := false
	p.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			p.t.Error(err)
		}
	}
	p.t.Cleanup(func() { p.stop() })
}

// admin runs "keyward admin" on the data directory.
func (p *place) admin(stdin string, args ...string) (code int, stdout, stderr string) {
	p.t.Helper()
	var out, errs bytes.Buffer
	args = append([]string{"admin"}, args...)
	code = Run(p.t.Context(), append(args, "--data", p.data), IO{strings.NewReader(stdin), &out, &errs, func(string) string { return "" }})
	return code, out.String(), errs.String()
}

// must is admin that succeeds; it gives standard output without its line end.
func (p *place) must(stdin string, args ...string) string {
	p.t.Helper()
	code, stdout, stderr := p.admin(stdin, args...)
	if code != 0 || strings.Count(stdout, "\n") != 1 {
		p.t.Fatalf("admin %v: %d\n%s%s", args, code, stdout, stderr)
	}
	return strings.TrimSuffix(stdout, "\n")
}

func (p *place) post(path, token string, body map[string]any) (int, map[string]any) {
	p.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+path, bytes.NewReader(raw))
	if err != nil {
		p.t.Fatal(err)
	}
	return p.send(req, token)
}

func (p *place) get(path, token string) (int, map[string]any) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.send(req, token)
}

func (p *place) send(req *http.Request, token string) (int, map[string]any) {
	p.t.Helper()
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	out := map[string]any{}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil && res.StatusCode != http.StatusNoContent {
		p.t.Fatal(err)
	}
	return res.StatusCode, out
}

// login expects a code of refusal, or success with "".
func (p *place) login(username, password, code string) string {
	p.t.Helper()
	_, out := p.post("/api/auth/login", "", map[string]any{"username": username, "password": password})
	if got, _ := out["code"].(string); got != code {
		p.t.Fatalf("%s signs in: %v, want %q", username, out, code)
	}
	token, _ := out["access_token"].(string)
	return token
}

// change makes the new password that is demanded first.
func (p *place) change(username, from, to string) {
	p.t.Helper()
	if status, out := p.post("/api/auth/password", "", map[string]any{"username": username, "current_password": from, "new_password": to}); status != http.StatusOK {
		p.t.Fatalf("%s changes the password: %d %v", username, status, out)
	}
}

func (p *place) execute(statement string, args ...any) {
	p.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(p.data, "keyward.db")+"?_pragma=busy_timeout(5000)")
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(p.t.Context(), statement, args...); err != nil {
		p.t.Fatal(err)
	}
}

// entries are the audit log's entries about an action, newest first.
func (p *place) entries(token, action string) []map[string]any {
	p.t.Helper()
	_, out := p.get("/api/admin/audit?limit=100&action="+action, token)
	list := []map[string]any{}
	for _, e := range out["items"].([]any) {
		list = append(list, e.(map[string]any))
	}
	return list
}

// nowhere looks for secrets in the log and in every file.
func (p *place) nowhere(secrets ...string) {
	p.t.Helper()
	p.stop()
	texts := []string{p.logs.String()}
	err := filepath.WalkDir(p.data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		texts = append(texts, string(raw))
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	for i, secret := range secrets {
		if strings.Contains(strings.Join(texts, "\n"), secret) {
			p.t.Errorf("secret %d stands in the clear in a file or in the log", i)
		}
	}
}

func audited(t *testing.T, entries []map[string]any, command string) {
	t.Helper()
	for _, e := range entries {
		if e["actor"] == "system" && e["actor_id"] == nil && strings.Contains(fmt.Sprint(e["details"]), "keyward admin "+command+", as user ") {
			return
		}
	}
	t.Errorf("keyward admin %s is not audited: %v", command, entries)
}
