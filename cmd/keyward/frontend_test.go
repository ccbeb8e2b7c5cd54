package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// TestFrontend: it starts without files, serves pages and forwards /api, is healthy,
// and stops when its context ends.
func TestFrontend(t *testing.T) {
	t.Parallel()
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) }))
	defer backend.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, errs bytes.Buffer
	std := IO{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(k string) string {
		return map[string]string{"AGENT_URL": "http://localhost:5000", "DATA": "/nowhere"}[k]
	}}
	ready := make(chan string, 1)
	done := make(chan error, 1)
	go func() {
		done <- frontendReady(ctx, []string{"--listen", "127.0.0.1:0", "--backend", backend.URL}, std, func(address string) { ready <- address })
	}()
	var base string
	select {
	case address := <-ready:
		base = "http://" + address
	case err := <-done:
		t.Fatalf("ended before it was ready: %v\n%s", err, errs.String())
	}
	for path, want := range map[string]string{"/login": "<!doctype html>", "/api/auth/me": "/api/auth/me", "/downloads/": `{"items":[`} {
		res := must.Get(http.Get(base + path))(t)
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK || !strings.HasPrefix(string(body), want) {
			t.Errorf("%s: %d %.100s %v", path, res.StatusCode, body, err)
		}
		if path == "/login" && !strings.Contains(res.Header.Get("Content-Security-Policy"),
			"connect-src 'self' http://127.0.0.1:5000 http://localhost:5000;") {
			t.Errorf("policy %s", res.Header.Get("Content-Security-Policy"))
		}
	}
	if code, stdout, stderr := run(t, nil, "healthcheck", "--url", base); code != 0 || stdout != "ok version=dev\n" {
		t.Errorf("healthcheck: %d %s%s", code, stdout, stderr)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("stop: %v", err)
	}
	if out.Len() > 0 {
		t.Errorf("standard output: %s", out.String())
	}
}
