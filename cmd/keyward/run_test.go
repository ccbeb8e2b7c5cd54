package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
)

func run(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), args, IO{strings.NewReader(""), &out, &errs, func(k string) string { return env[k] }})
	return code, out.String(), errs.String()
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		args   string
		code   int
		stdout string // a part of it
		stderr string
	}{
		{"", 2, "", "a command is missing"},
		{"dance", 2, "", "there is no such command"},
		{"help", 0, "serve", ""},
		{"--help", 0, "healthcheck", ""},
		{"version", 0, "keyward dev", ""},
		{"--version", 0, "keyward dev", ""},
		{"version now", 2, "", "takes no arguments"},
		{"serve --help", 0, "VAULT_SEAL_KEY or VAULT_SEAL_KEY_FILE", ""},
		{"serve --dance", 2, "", "dance"},
		{"serve --listen 80", 2, "", "LISTEN must be HOST:PORT or :PORT"},
		{"frontend --help", 0, "Usage: keyward frontend", ""},
		{"frontend --data x", 2, "", "data"},
		{"frontend --backend x", 2, "", "BACKEND_URL must be"},
		{"healthcheck --help", 0, "Usage: keyward healthcheck", ""},
		{"healthcheck --url ftp://x", 2, "", "--url must be"},
		{"healthcheck --url http://127.0.0.1:1", 1, "", "does not answer"},
		{"openapi", 0, "openapi: 3.1.0", ""},
		{"configuration", 0, "# Configuration", ""},
	} {
		code, stdout, stderr := run(t, nil, strings.Fields(tc.args)...)
		if code != tc.code || !strings.Contains(stdout, tc.stdout) || !strings.Contains(stderr, tc.stderr) {
			t.Errorf("keyward %s: %d\nstdout: %.200s\nstderr: %.200s", tc.args, code, stdout, stderr)
		}
		if tc.code != 0 && stdout != "" || tc.code == 0 && stderr != "" {
			t.Errorf("keyward %s: mixes results and complaints: %q, %q", tc.args, stdout, stderr)
		}
	}
}

func TestOutputFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "backend.yaml")
	if code, _, stderr := run(t, nil, "openapi", "--output", file); code != 0 {
		t.Fatal(stderr)
	}
	_, printed, _ := run(t, nil, "openapi")
	if written, err := os.ReadFile(file); err != nil || string(written) != printed {
		t.Errorf("the file differs from what is printed: %v", err)
	}
}

// TestServe: the server starts on an empty directory, is healthy, and stops
// when its context ends.
func TestServe(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, errs bytes.Buffer
	std := IO{strings.NewReader(""), &out, &errs, func(k string) string {
		return map[string]string{"METRICS_LISTEN": "off", "LOG_FORMAT": "text"}[k]
	}}
	ready := make(chan app.Addrs, 1)
	done := make(chan error, 1)
	go func() {
		done <- serveReady(ctx, []string{"--data", t.TempDir(), "--listen", "127.0.0.1:0"}, std, func(a app.Addrs) { ready <- a })
	}()
	var addr string
	select {
	case a := <-ready:
		addr = a.API
	case err := <-done:
		t.Fatalf("ended before it was ready: %v\n%s", err, errs.String())
	}
	code, stdout, stderr := run(t, nil, "healthcheck", "--url", "http://"+addr)
	if code != 0 || stdout != "ok version=dev database=connected vault=connected\n" {
		t.Errorf("healthcheck: %d %s%s", code, stdout, stderr)
	}
	if code, _, stderr := run(t, nil, "healthcheck", "--url", "http://"+addr+"/api/nothing"); code != 1 || !strings.Contains(stderr, "404") {
		t.Errorf("healthcheck of another address: %d %s", code, stderr)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("stop: %v", err)
	}
	if !strings.Contains(out.String(), "admin") || strings.Contains(errs.String(), "Password") {
		t.Errorf("the first password belongs on standard output alone\n%s", out.String())
	}
}

func TestLocalURL(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		"": "http://127.0.0.1:8080", ":9000": "http://127.0.0.1:9000", "0.0.0.0:1": "http://127.0.0.1:1",
		"[::]:2": "http://127.0.0.1:2", "[::1]:3": "http://[::1]:3", "10.1.2.3:4": "http://10.1.2.3:4",
	} {
		if got := localURL(listen); got != want {
			t.Errorf("%q: %s, want %s", listen, got, want)
		}
	}
}
