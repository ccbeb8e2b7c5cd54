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

	"github.com/keyward/keyward/internal/app"
)

const firstPassword = "an administrator's password"

// serving starts a server on dir; stop ends it in good order.
func serving(t *testing.T, dir string) (base string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	env := map[string]string{"METRICS_LISTEN": "off", "KEYWARD_ADMIN_PASSWORD": firstPassword, "PKI_CA_KEY_TYPE": "ec-p256"}
	std := IO{strings.NewReader(""), &out, &errs, func(k string) string { return env[k] }}
	ready, done := make(chan app.Addrs, 1), make(chan error, 1)
	go func() {
		done <- serveReady(ctx, []string{"--data", dir, "--listen", "127.0.0.1:0"}, std, func(a app.Addrs) { ready <- a })
	}()
	select {
	case a := <-ready:
		base = "http://" + a.API
	case err := <-done:
		cancel()
		t.Fatalf("the server did not start: %v\n%s", err, errs.String())
	}
	return base, func() {
		t.Helper()
		cancel()
		if err := <-done; err != nil {
			t.Fatalf("stop: %v", err)
		}
	}
}

// ask is one request; body may be empty.
func ask(t *testing.T, method, url, token, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode/100 != 2 {
		t.Fatalf("%s: %s %v %s", url, res.Status, err, raw)
	}
	return string(raw)
}

func signedIn(t *testing.T, base string) string {
	t.Helper()
	var out struct {
		Token string `json:"access_token"`
	}
	raw := ask(t, "POST", base+"/api/auth/login", "", `{"username":"admin","password":"`+firstPassword+`"}`)
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		t.Fatal(err)
	}
	return out.Token
}

// TestAuditVerify: an installation whose server has stopped holds, with
// everything sealed; beside a running server the key and a head serve; each
// change is named.
func TestAuditVerify(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base, stop := serving(t, dir)
	signedIn(t, base)
	if code, _, stderr := run(t, nil, "audit", "verify", "--data", dir); code != 1 || !strings.Contains(stderr, "--public-key") {
		t.Errorf("beside a running server: %d %s", code, stderr)
	}
	stop()
	code, stdout, stderr := run(t, nil, "audit", "verify", "--data", dir)
	if code != 0 || !strings.HasPrefix(stdout, "ok entries=") || !strings.Contains(stdout, " unsealed=0 ") || stderr != "" {
		t.Fatalf("after an orderly stop: %d %s%s", code, stdout, stderr)
	}

	base, stop = serving(t, dir)
	token := signedIn(t, base)
	seal := ask(t, "GET", base+"/api/admin/audit/seal", token, "")
	var head struct {
		PublicKey string `json:"public_key"`
		Hash      string
	}
	if err := json.Unmarshal([]byte(seal), &head); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "head.json")
	if err := os.WriteFile(file, []byte(seal), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{[]string{"--public-key", head.PublicKey, "--head", file}, 0, "ok entries=", ""},
		{[]string{"--public-key", head.PublicKey, "--head", head.Hash}, 0, head.Hash, ""},
		{[]string{"--public-key", head.PublicKey}, 0, "ok entries=", "cut off"},
		{[]string{"--public-key", strings.Repeat("00", 32)}, 1, "", "signature does not fit"},
		{[]string{"--public-key", head.PublicKey, "--head", strings.Repeat("00", 32)}, 1, "", "no batch has the head's hash"},
		{[]string{"--head", head.Hash}, 2, "", "needs --public-key"},
		{[]string{"--public-key", "12"}, 2, "", "64 hexadecimal digits"},
		{[]string{"--public-key", head.PublicKey, "--head", dir}, 2, "", "no answer of"},
		{[]string{"now"}, 2, "", "takes no arguments"},
	} {
		code, stdout, stderr := run(t, nil, append([]string{"audit", "verify", "--data", dir}, c.args...)...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%v: %d %s%s", c.args, code, stdout, stderr)
		}
	}
	stop()

	db, err := sql.Open("sqlite", filepath.Join(dir, "keyward.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range []struct{ do, undo, stderr string }{
		{"UPDATE audit_entries SET actor = 'x' || actor WHERE id = 2", "UPDATE audit_entries SET actor = substr(actor, 2) WHERE id = 2", "first bad entry: 2 (batch"},
		{"DELETE FROM audit_batches WHERE id = (SELECT MAX(id) FROM audit_batches)", "", "the end is missing"},
	} {
		if _, err := db.ExecContext(t.Context(), c.do); err != nil {
			t.Fatal(err)
		}
		if code, stdout, stderr := run(t, nil, "audit", "verify", "--data", dir); code != 1 || stdout != "" || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%s: %d %s%s", c.do, code, stdout, stderr)
		}
		if c.undo == "" {
			continue
		}
		if _, err := db.ExecContext(t.Context(), c.undo); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAuditVerifyAbsent: an entry that was removed before the sealer came by
// is noticed by its id.
func TestAuditVerifyAbsent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base, stop := serving(t, dir)
	signedIn(t, base)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "keyward.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var id int64
	if err := db.QueryRowContext(t.Context(), "DELETE FROM audit_entries WHERE id = (SELECT MAX(id) FROM audit_entries) RETURNING id").Scan(&id); err != nil {
		t.Fatal(err)
	}
	signedIn(t, base)
	stop()
	missing := fmt.Sprintf("first missing entry: %d: ", id)
	if code, stdout, stderr := run(t, nil, "audit", "verify", "--data", dir); code != 1 || stdout != "" || !strings.Contains(stderr, missing) {
		t.Errorf("%d %s%s, want %s", code, stdout, stderr, missing)
	}
	if code, stdout, stderr := run(t, nil, "audit", "verify", "--data", dir, "--allow-absent"); code != 0 || !strings.HasPrefix(stdout, "ok ") || !strings.Contains(stderr, missing) {
		t.Errorf("allowed: %d %s%s", code, stdout, stderr)
	}
}

func TestAuditVerifyWithoutData(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args   string
		code   int
		output string
	}{
		{"audit", 2, "verify"},
		{"audit dance", 2, "verify"},
		{"audit --help", 0, "Usage: keyward audit verify"},
		{"audit verify --help", 0, "Usage: keyward audit verify"},
		{"audit verify --data " + t.TempDir(), 1, "there is no vault"},
		{"audit verify --public-key " + strings.Repeat("00", 32) + " --data " + t.TempDir(), 1, "there is no database"},
	} {
		if code, stdout, stderr := run(t, nil, strings.Fields(c.args)...); code != c.code || !strings.Contains(stdout+stderr, c.output) {
			t.Errorf("%s: %d %s%s", c.args, code, stdout, stderr)
		}
	}
}
