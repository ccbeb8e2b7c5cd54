package proxies_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/proxies"
)

// dying are backends that read a complete request and die without a response.
type dying struct {
	sync.Mutex

	got map[string]int // requests by method
}

func (d *dying) start(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" || r.URL.Path == "/api/health" {
			w.WriteHeader(http.StatusOK)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		d.Lock()
		d.got[r.Method]++
		d.Unlock()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// TestSentOnce: a changing request reaches one server, and is never sent to the next if
// that dies; a reading one may be. Each is the second one of its connections on both sides.
func TestSentOnce(t *testing.T) {
	each(t, func(t *testing.T, p proxies.Program) {
		for _, method := range []string{"POST", "PATCH", "PUT", "DELETE", "GET"} {
			t.Run(method, func(t *testing.T) {
				t.Parallel()
				d := &dying{got: map[string]int{}}
				backends := []string{d.start(t), d.start(t)}
				through := proxies.Start(t, p, "../..", backends, backends).Transport("")
				defer through.CloseIdleConnections()
				for range backends {
					if res := roundTrip(t, through, request(t, "GET", proxies.Site+"/api/health", nil)); res.StatusCode != http.StatusOK {
						t.Fatalf("before: %d %s", res.StatusCode, res.body)
					}
				}
				var body io.Reader
				if method != "GET" {
					body = strings.NewReader("{}")
				}
				res := roundTrip(t, through, request(t, method, proxies.Site+"/API/admin/webhooks/1", body, "Content-Type", "application/json"))
				if p.Died == http.StatusServiceUnavailable {
					isAway(t, method, res)
				} else if res.StatusCode != p.Died {
					t.Errorf("%d %s", res.StatusCode, res.body)
				}
				d.Lock()
				defer d.Unlock()
				if n := d.got[method]; len(d.got) != 1 || (n == 1) == (method == "GET" && p.Rereads) {
					t.Errorf("sent: %v", d.got)
				}
			})
		}
	})
}

// isAway checks for the problem document that tells that no server answers.
func isAway(t *testing.T, what string, res answer) {
	t.Helper()
	if out := res.object(t); res.StatusCode != http.StatusServiceUnavailable || out["code"] != "backend_unavailable" ||
		out["status"] != float64(503) || res.Header.Get("Retry-After") == "" ||
		res.Header.Get("Content-Type") != "application/problem+json" || out["request_id"] == "" ||
		out["request_id"] != res.Header.Get("X-Request-Id") || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s: %d %v %s", what, res.StatusCode, res.Header, res.body)
	}
}
