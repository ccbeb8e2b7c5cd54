package httpapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// TestProbes: a server without its database is not ready, but live; without its vault
// it is ready, so that the CRL stays reachable, unless it never loaded what it needs at
// startup; and one about to stop is not ready, but still answers.
func TestProbes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name          string
		health        standing
		draining      bool
		starting      bool
		live, ready   int
		says, closing string
	}{
		{"all well", standing{nil, vault.Connected}, false, false, 200, 200, "ok", ""},
		{"vault sealed", standing{nil, vault.Sealed}, false, false, 200, 200, "ok", ""},
		{"vault sealed since the start", standing{nil, vault.Sealed}, false, true, 200, 503, "unavailable", ""},
		{"database down", standing{errors.New("the password of the database"), vault.Connected}, false, false, 200, 503, "unavailable", ""},
		{"draining", standing{nil, vault.Connected}, true, false, 200, 503, "draining", "close"},
	} {
		s := New(Options{Version: "v1", Health: tc.health, Started: func() bool { return !tc.starting },
			Limits: Limits{Open: Rate{1, 1}, Anonymous: Rate{1, 1}}})
		if tc.draining {
			s.Drain()
		}
		for range 3 { // frequent probes are not refused
			live, ready := call(s, "GET", "/livez"), call(s, "GET", "/readyz")
			if live.Code != tc.live || live.Body.String() != `{"status":"ok","version":"v1"}`+"\n" || live.Header().Get("Connection") != tc.closing {
				t.Errorf("%s: live: %d %v %s", tc.name, live.Code, live.Header(), live.Body)
			}
			if ready.Code != tc.ready || ready.Body.String() != `{"status":"`+tc.says+`","version":"v1"}`+"\n" ||
				(ready.Header().Get("Retry-After") != "") != (tc.ready == 503) || ready.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s: ready: %d %v %s", tc.name, ready.Code, ready.Header(), ready.Body)
			}
		}
		if wrong := call(s, "POST", "/readyz"); wrong.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s: POST: %d", tc.name, wrong.Code)
		}
	}
}

// TestStop: readiness fails at once, everything is answered until the delay is over,
// and only then the listener closes.
func TestStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const delay = 30 * time.Second
		s := New(Options{Version: "v1", Health: standing{vault: vault.Connected}})
		ln := &pipes{make(chan net.Conn), make(chan struct{})}
		client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			select {
			case <-ln.done:
				return nil, errors.New("refused")
			default:
				return ln.dial(), nil
			}
		}}}
		defer client.CloseIdleConnections()
		get := func(path string) (status int, closing bool, err error) {
			res, err := client.Get("http://keyward" + path)
			if err != nil {
				return 0, false, err
			}
			defer res.Body.Close()
			_, err = io.Copy(io.Discard, res.Body)
			return res.StatusCode, res.Close, err
		}
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() {
			served <- Serve(ctx, ln, s, slog.New(slog.DiscardHandler), Stop{Announce: s.Drain, Delay: delay, Limit: time.Minute})
		}()
		if status, closing, err := get("/readyz"); status != 200 || closing || err != nil {
			t.Errorf("before: %d %v %v", status, closing, err)
		}
		stop()
		began := time.Now()
		synctest.Wait()
		for path, want := range map[string]int{"/readyz": 503, "/livez": 200, "/health": 200, "/api/nothing": 404} {
			if status, closing, err := get(path); status != want || !closing || err != nil {
				t.Errorf("%s in the delay: %d, closing %v, %v", path, status, closing, err)
			}
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took < delay || took > delay+time.Second {
			t.Errorf("it stopped after %v", took)
		}
		if _, _, err := get("/livez"); err == nil {
			t.Error("it answers after the end")
		}
	})
}
