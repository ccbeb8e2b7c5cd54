package app

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// TestTraffic: requests come until none did for a second.
func TestTraffic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var seen traffic
		if seen.busy() {
			t.Error("busy before the first request")
		}
		busy := false // while it answers
		handler := seen.through(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { busy = seen.busy() }))
		for _, c := range []struct {
			path string
			want bool
		}{{"/readyz", false}, {"/api/health", false}, {"/api/backup/jobs/1", false}, {"/api/hwkey", true}} {
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, c.path, nil))
			if busy != c.want {
				t.Errorf("%s: busy %t", c.path, busy)
			}
		}
		for range 9 {
			<-time.After(quietAfter / 10)
			if !seen.busy() {
				t.Error("not busy within a second")
			}
		}
		<-time.After(quietAfter / 10)
		if seen.busy() {
			t.Error("busy a second later")
		}
	})
}
