package main

import (
	"bytes"
	"strings"
	"testing"
)

func run(t *testing.T, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), args, IO{strings.NewReader(""), &out, &errs, func(k string) string { return env[k] }})
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
