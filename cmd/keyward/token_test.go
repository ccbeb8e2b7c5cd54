package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
)

// started runs a server with a known first password until the test ends.
func started(t *testing.T, env map[string]string) (url string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	var out, errs bytes.Buffer
	std := IO{strings.NewReader(""), &out, &errs, func(k string) string {
		if v, ok := env[k]; ok {
			return v
		}
		return map[string]string{"METRICS_LISTEN": "off", "PKI_CA_KEY_TYPE": "ec-p256"}[k]
	}}
	ready, done := make(chan app.Addrs, 1), make(chan error, 1)
	go func() {
		done <- serveReady(ctx, []string{"--data", t.TempDir(), "--listen", "127.0.0.1:0"}, std, func(a app.Addrs) { ready <- a })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	select {
	case a := <-ready:
		return "http://" + a.API
	case err := <-done:
		done <- nil
		t.Fatalf("the server ended: %v\n%s", err, errs.String())
		return ""
	}
}

// typed runs a command with lines on standard input.
func typed(t *testing.T, lines string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), args, IO{strings.NewReader(lines), &out, &errs, func(string) string { return "" }})
	return code, out.String(), errs.String()
}

// TestAdministration is the walk-through of a new installation: an account, a
// token on record, its list and its record, a changed password.
func TestAdministration(t *testing.T) {
	t.Parallel()
	url := started(t, map[string]string{"KEYWARD_ADMIN_PASSWORD": "the first password"})
	const admin = "the first password\n"
	for _, step := range []struct {
		name, lines, args string
		code              int
		want              string // part of standard output, or of standard error when it fails
	}{
		{"a wrong password", "guess\n", "token list --username admin", 1, "invalid_credentials"},
		{"nothing on standard input", "", "token list --username admin", 1, "standard input has no line"},
		{"an account", admin + "alice's own words\n", "user create --as admin --username alice --email alice@example.org", 0, "User alice (user)"},
		{"the same account", admin + "alice's own words\n", "user create --as admin --username alice --email alice@example.org", 1, "conflict"},
		{"a token", admin, "token register --username admin --serial 7654321 --owner alice --firmware 5.4.3 --label blue", 0, "assigned"},
		{"an owner who is not there", admin, "token register --username admin --serial 7654322 --owner bob", 1, "no user of that name"},
		{"the list", admin, "token list --username admin", 0, "7654321  assigned  alice"},
		{"the owner's list", "alice's own words\n", "token list --username alice --json", 0, `"serial":"7654321"`},
		{"a record", "alice's own words\n", "token show --username alice --serial 7654321", 0, "firmware 5.4.3"},
		{"no such certificate", admin, "token revoke-certificate 01ab --username admin", 1, "not_found"},
		{"a new password", admin + "the second password\n", "passwd --username admin", 0, "changed"},
		{"the former password", admin, "token list --username admin", 1, "invalid_credentials"},
		{"no agent", "the second password\n", "token enroll --username admin --serial 7654321 --agent http://127.0.0.1:1", 1, "Run the same command again"},
	} {
		code, stdout, stderr := typed(t, step.lines, append(strings.Fields(step.args), "--server", url)...)
		got := stdout
		if step.code != 0 {
			got = stderr
		}
		if code != step.code || !strings.Contains(got, step.want) {
			t.Errorf("%s: %d\nstdout: %s\nstderr: %s", step.name, code, stdout, stderr)
		}
		for _, word := range []string{"the first password", "the second password", "alice's own words"} {
			if strings.Contains(stdout+stderr, word) {
				t.Errorf("%s: shows a password", step.name)
			}
		}
	}
}

// TestFirstPassword: the random first password only serves to be changed.
func TestFirstPassword(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	var out, errs bytes.Buffer
	ready, done := make(chan app.Addrs, 1), make(chan error, 1)
	std := IO{strings.NewReader(""), &out, &errs, func(k string) string {
		return map[string]string{"METRICS_LISTEN": "off", "PKI_CA_KEY_TYPE": "ec-p256"}[k]
	}}
	go func() {
		done <- serveReady(ctx, []string{"--data", t.TempDir(), "--listen", "127.0.0.1:0"}, std, func(a app.Addrs) { ready <- a })
	}()
	defer func() { stop(); <-done }()
	var url string
	select {
	case a := <-ready:
		url = "http://" + a.API
	case err := <-done:
		done <- nil
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(out.String(), "sign-in): ")
	password, _, _ := strings.Cut(rest, "\n")
	code, _, stderr := typed(t, password+"\n", "token", "list", "--username", "admin", "--server", url)
	if code != 1 || !strings.Contains(stderr, "keyward passwd") {
		t.Fatalf("signing in with the first password: %d %s", code, stderr)
	}
	if code, _, stderr := typed(t, password+"\nmy own pass phrase\n", "passwd", "--username", "admin", "--server", url); code != 0 {
		t.Fatal(stderr)
	}
	if code, _, stderr := typed(t, "my own pass phrase\n", "token", "list", "--username", "admin", "--server", url); code != 0 {
		t.Fatal(stderr)
	}
}

func TestTokenUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"token":                            "a command is missing",
		"token dance":                      "no such command",
		"token enroll":                     "--serial is missing",
		"token enroll --serial 1234":       "--username is missing",
		"token enroll --serial 1 --slot x": "--slot must be",
		"token enroll --username u --serial 1234 --agent http://example.org":  "--agent",
		"token enroll --username u --serial 1234 --server http://example.org": "plain http",
		"token list --username u --server ftp://x":                            "--server",
		"token revoke-certificate --username u":                               "comes first",
		"user create --as admin":                                              "--username and --email",
		"user":                                                                "a command is missing",
		"passwd":                                                              "--username is missing",
	} {
		if code, stdout, stderr := typed(t, "x\n", strings.Fields(args)...); code != 2 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("keyward %s: %d %s%s", args, code, stdout, stderr)
		}
	}
	for _, args := range []string{"token --help", "token enroll --help", "token change-pin --help", "token unblock --help", "token renew --help",
		"token register --help", "token list --help", "token show --help", "token revoke-certificate --help", "user --help", "user create --help", "passwd --help"} {
		if code, stdout, stderr := typed(t, "", strings.Fields(args)...); code != 0 || !strings.HasPrefix(stdout, "Usage: keyward ") || stderr != "" {
			t.Errorf("keyward %s: %d %s%s", args, code, stdout, stderr)
		}
	}
}

// TestJSONAnswer: with --json a program reads failures, too, from standard
// output.
func TestJSONAnswer(t *testing.T) {
	t.Parallel()
	url := started(t, map[string]string{"KEYWARD_ADMIN_PASSWORD": "the first password"})
	code, stdout, _ := typed(t, "the first password\n", "token", "enroll", "--username", "admin", "--server", url, "--serial", "1234567", "--agent", "http://127.0.0.1:1", "--json")
	var got struct {
		OK     bool
		Code   string
		Detail string
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 1 || got.OK || got.Code != "unreachable" || got.Detail == "" {
		t.Errorf("%d %s", code, stdout)
	}
	if code, _, stderr := typed(t, "the first password\n12\n", "token", "change-pin", "--username", "admin", "--server", url, "--serial", "1234567", "--pin-file", "-"); code != 1 || !strings.Contains(stderr, "6 to 8 digits") {
		t.Errorf("a short PIN: %d %s", code, stderr)
	}
}
