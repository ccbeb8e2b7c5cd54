package proxies_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/proxies"
)

// recorder is a server that keeps the last request, apart from health checks.
type recorder struct {
	sync.Mutex

	ready int // the status of /readyz
	last  *http.Request
	count int
}

func (r *recorder) start(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/readyz" {
			w.WriteHeader(r.ready)
			return
		}
		r.Lock()
		defer r.Unlock()
		r.last = q
		r.count++
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func (r *recorder) requests() int {
	r.Lock()
	defer r.Unlock()
	return r.count
}

// TestSent: a server gets the address and the Host as they were sent, and who the client is
// from the proxy alone.
func TestSent(t *testing.T) {
	each(t, func(t *testing.T, p proxies.Program) {
		r := &recorder{ready: http.StatusOK}
		servers := []string{r.start(t)}
		s := &site{Server: proxies.Start(t, p, "../..", servers, servers)}
		for _, tc := range []struct{ base, path, scheme, port, ours string }{
			{proxies.Site, "/api/hwkey/a%2Fb?q=%20&x=%2F", "https", "443", s.Secure},
			{"http://" + proxies.Host, "/api/pki/crl?format=pem", "http", "80", s.Plain},
		} {
			s.ask(t, "127.0.0.7", request(t, "GET", tc.base+tc.path, nil, "X-Real-IP", "203.0.113.9", "X-Forwarded-Proto", "gopher",
				"X-Forwarded-Port", "1", "X-Forwarded-For", "203.0.113.9", "X-Forwarded-Host", "evil.example", "Forwarded", "for=203.0.113.9",
				"Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "Tracestate", "a=b"))
			r.Lock()
			if r.last == nil {
				t.Fatalf("%s did not arrive", tc.path)
			}
			head := r.last.Header
			if r.last.RequestURI != tc.path || r.last.Host != proxies.Host {
				t.Errorf("%s arrived as %s of %s", tc.path, r.last.RequestURI, r.last.Host)
			}
			r.Unlock()
			_, ours, _ := net.SplitHostPort(tc.ours) // nginx and Traefik tell the port on which they listen
			port := head.Get("X-Forwarded-Port")
			if strings.Join(head.Values("X-Real-Ip"), "|") != "127.0.0.7" || strings.Join(head.Values("X-Forwarded-Proto"), "|") != tc.scheme ||
				len(head.Values("X-Forwarded-Port")) != 1 || (port != tc.port && port != ours) {
				t.Errorf("%s: %v", tc.path, head)
			}
			for _, name := range []string{"X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Traceparent", "Tracestate"} {
				for _, value := range head.Values(name) {
					if !p.Tells || strings.Contains(value, "203.0.113.9") || strings.Contains(value, "evil") {
						t.Errorf("%s: %s: %s", tc.path, name, value)
					}
				}
			}
		}
	})
}

// TestReadiness: a server that is not ready gets nothing.
func TestReadiness(t *testing.T) {
	each(t, func(t *testing.T, p proxies.Program) {
		if !p.Checks { // nginx without its paid part can't
			return
		}
		stopping, ready := &recorder{ready: http.StatusServiceUnavailable}, &recorder{ready: http.StatusOK}
		servers := []string{stopping.start(t), ready.start(t)}
		s := &site{Server: proxies.Start(t, p, "../..", servers, servers)}
		await.That(t, "only the ready one is asked", func() bool {
			before, served := stopping.requests(), ready.requests()
			for range 6 {
				s.get(t, proxies.Site+"/api/health")
			}
			return stopping.requests() == before && ready.requests() == served+6
		})
	})
}

// TestUnreached: what could not be sent to one server gets to the next, also if it changes
// something.
func TestUnreached(t *testing.T) {
	each(t, func(t *testing.T, p proxies.Program) {
		r := &recorder{ready: http.StatusOK}
		servers := []string{net.JoinHostPort(host.Address(), "18444"), r.start(t)}
		s := &site{Server: proxies.Start(t, p, "../..", servers, servers)}
		for range 4 {
			res := s.ask(t, "", request(t, "POST", proxies.Site+"/api/hwkey", strings.NewReader("{}"), "Content-Type", "application/json"))
			if res.StatusCode != http.StatusOK {
				t.Errorf("%d %s", res.StatusCode, res.body)
			}
		}
		if n := r.requests(); n != 4 {
			t.Errorf("%d requests arrived", n)
		}
	})
}
