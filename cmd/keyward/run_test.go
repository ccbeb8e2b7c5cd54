package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func run(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), args, IO{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(k string) string { return env[k] },
	})
	return code, out.String(), errs.String()
}

func TestLocalURL(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]string{
		"": "http://127.0.0.1:8080", ":9000": "http://127.0.0.1:9000", "0.0.0.0:1": "http://127.0.0.1:1",
		"[::]:2": "http://127.0.0.1:2", "[::1]:3": "http://[::1]:3", "10.1.2.3:4": "http://10.1.2.3:4",
	} {
		if got := "http://" + localHost(listen); got != want {
			t.Errorf("%q: %s, want %s", listen, got, want)
		}
	}
}

// TestHealthcheckTLS: the server on this machine is queried with its own protocol.
// There, its certificate need not match; at another address, it must.
func TestHealthcheckTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"status":"ok","version":"1","database":"connected","vault":"connected"}`)
	}))
	defer server.Close()
	env := map[string]string{"LISTEN": server.Listener.Addr().String(), "TLS_CERT_FILE": "/etc/keyward/cert.pem"}
	if code, stdout, stderr := run(t, env, "healthcheck"); code != 0 || stdout != "ok version=1 database=connected vault=connected\n" {
		t.Errorf("%d %s%s", code, stdout, stderr)
	}
	if code, _, stderr := run(t, env, "healthcheck", "--url", server.URL); code != 1 || !strings.Contains(stderr, "certificate") {
		t.Errorf("a certificate that nobody vouches for: %d %s", code, stderr)
	}
}
