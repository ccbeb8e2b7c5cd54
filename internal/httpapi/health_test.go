package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/vault"
)

func TestHealth(t *testing.T) {
	t.Parallel()
	down := errors.New("the password of the database")
	for _, tc := range []struct {
		name   string
		health standing
		found  [2]string // of the database, of the vault
		status int
		want   HealthResponse
	}{
		{"all well", standing{nil, vault.Connected}, [2]string{}, 200, HealthResponse{"ok", "v1", "connected", "connected"}},
		{"vault down", standing{nil, vault.Disconnected}, [2]string{}, 200, HealthResponse{"degraded", "v1", "connected", "disconnected"}},
		{"vault sealed", standing{nil, vault.Sealed}, [2]string{}, 200, HealthResponse{"degraded", "v1", "connected", "sealed"}},
		{"database altered", standing{nil, vault.Connected}, [2]string{"altered"}, 200, HealthResponse{"degraded", "v1", "altered", "connected"}},
		{"altered, down", standing{down, vault.Connected}, [2]string{"altered"}, 503,
			HealthResponse{"unavailable", "v1", "disconnected", "connected"}},
		{"database down", standing{down, vault.Connected}, [2]string{}, 503, HealthResponse{"unavailable", "v1", "disconnected", "connected"}},
		{"both down", standing{down, vault.Sealed}, [2]string{}, 503, HealthResponse{"unavailable", "v1", "disconnected", "sealed"}},
		{"database older", standing{nil, vault.Connected}, [2]string{"older"}, 200, HealthResponse{"degraded", "v1", "older", "connected"}},
		{"vault older", standing{nil, vault.Connected}, [2]string{"", "older"}, 200, HealthResponse{"degraded", "v1", "connected", "older"}},
		{"older and away", standing{nil, vault.Sealed}, [2]string{"", "older"}, 200, HealthResponse{"degraded", "v1", "connected", "sealed"}},
	} {
		for _, path := range []string{"/health", "/api/health"} {
			found := func() (string, string) { return tc.found[0], tc.found[1] }
			res := call(New(Options{Version: "v1", Health: tc.health, Found: found}), "GET", path)
			var got HealthResponse
			if err := json.Unmarshal(res.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || res.Code != tc.status || (res.Header().Get("Retry-After") != "") != (tc.status == 503) {
				t.Errorf("%s %s: %d %s", tc.name, path, res.Code, diff)
			}
			if strings.Contains(res.Body.String(), "password") {
				t.Errorf("%s: the cause is public", tc.name)
			}
		}
	}
}

type counting struct {
	asked atomic.Int64
	hang  bool
}

func (c *counting) Ping(ctx context.Context) error {
	c.asked.Add(1)
	if c.hang {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

func (c *counting) State(ctx context.Context) vault.State {
	if c.hang {
		<-ctx.Done()
		return vault.Disconnected
	}
	return vault.Connected
}

// TestHealthIsCached: many requests cost the database one query a second.
func TestHealthIsCached(t *testing.T) {
	t.Parallel()
	h, c := &counting{}, &clock{}
	s := New(Options{Health: h, Now: c.now})
	for want := int64(1); want <= 2; want++ {
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() { call(s, "GET", "/health") })
		}
		wg.Wait()
		if n := h.asked.Load(); n != want {
			t.Errorf("asked %d times in %d seconds", n, want)
		}
		c.advance(time.Second)
	}
}

// TestHealthDoesNotHang with a hanging dependency, nor end with the first client.
func TestHealthDoesNotHang(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Health: &counting{hang: true}})
		if res := call(s, "GET", "/health"); res.Code != 503 {
			t.Errorf("%d", res.Code)
		}
	})
	c := &kept{ask: healthCheck{health: standing{vault: vault.Connected}}.ask, now: time.Now}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if status, _ := c.answer(gone); status != 200 {
		t.Errorf("an asker that went away makes the service %d", status)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	m := NewMetrics()
	s := newServerWithTestRoutes(Options{Auth: tokens{}, Health: standing{}, Metrics: m, Web: webPage})
	call(s, "GET", "/health")
	call(s, "GET", "/api/health")
	call(s, "GET", "/api/test/who/x", as(access.User)...)
	call(s, "GET", "/api/test/who/x")
	call(s, "GET", "/api/test/fail/panic", as(access.User)...)
	call(s, "GET", "/api/nothing")
	call(s, "GET", "/")
	text := call(m.Handler(), "GET", "/metrics").Body.String()
	for _, line := range []string{
		`keyward_http_requests_total{class="2xx",operation="health"} 2`,
		`keyward_http_requests_total{class="2xx",operation="get-session"} 1`,
		`keyward_http_requests_total{class="4xx",operation="get-session"} 1`,
		`keyward_http_requests_total{class="5xx",operation="me"} 1`,
		`keyward_http_requests_total{class="4xx",operation="none"} 1`,
		`keyward_http_requests_total{class="2xx",operation="web"} 1`,
		`keyward_http_request_duration_seconds_count{operation="health"} 2`,
		`keyward_http_requests_in_flight 0`,
		`go_goroutines`,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("%s is missing", line)
		}
	}
	if strings.Contains(text, "nothing") {
		t.Error("a path became a label: anybody can fill the memory")
	}
}

// TestDrain: when the server stops, requests in flight get their complete response,
// their context lives on, and new connections are refused.
func TestDrain(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}), make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(started)
		<-release
		if r.Context().Err() != nil {
			t.Error("the request was cancelled by the stop")
		}
		_, _ = io.WriteString(w, "done")
	})
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, ln, h, slog.New(slog.DiscardHandler), Stop{Limit: time.Minute}) }()
	answered := make(chan string, 1)
	go func() { answered <- do(t, "GET", "http://"+ln.Addr().String(), "").Text }()
	<-started
	stop()
	for deadline := time.Now().Add(20 * time.Second); ; {
		conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", ln.Addr().String())
		if err != nil {
			break
		}
		conn.Close()
		if time.Now().After(deadline) {
			t.Fatal("new connections are still taken")
		}
	}
	select {
	case err := <-served:
		t.Fatalf("Serve returned with a request in flight: %v", err)
	default:
	}
	close(release)
	if got := <-answered; got != "done" {
		t.Errorf("the answer was %q", got)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestDrainEnds: a request that does not finish in time is cut off, and Serve reports
// it.
func TestDrainEnds(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(started)
		<-r.Context().Done()
	})
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, ln, h, slog.New(slog.DiscardHandler), Stop{Limit: 10 * time.Millisecond}) }()
	go func() {
		if res, err := http.Get("http://" + ln.Addr().String()); err == nil {
			res.Body.Close()
		}
	}()
	<-started
	stop()
	if err := <-served; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
