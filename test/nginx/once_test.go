package nginx_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/nginx"
)

// dying are backends that read a complete request and die without a response.
type dying struct {
	sync.Mutex

	got map[string]int // requests by method
}

func (d *dying) start(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
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
// that dies; a reading one is.
func TestSentOnce(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]int{"POST": 1, "PATCH": 1, "PUT": 1, "DELETE": 1, "GET": 2} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			d := &dying{got: map[string]int{}}
			backends := []string{d.start(t), d.start(t)}
			s := &site{Server: nginx.Start(t, "../..", backends, backends)}
			res := s.ask(t, "", request(t, method, nginx.Site+"/API/admin/webhooks/1", strings.NewReader("{}"), "Content-Type", "application/json"))
			out := res.object(t)
			if res.StatusCode != http.StatusServiceUnavailable || out["code"] != "backend_unavailable" ||
				out["request_id"] != res.Header.Get("X-Request-Id") {
				t.Errorf("%d %s", res.StatusCode, res.body)
			}
			d.Lock()
			defer d.Unlock()
			if d.got[method] != want || len(d.got) != 1 {
				t.Errorf("sent: %v", d.got)
			}
		})
	}
}
