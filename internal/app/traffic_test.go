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
		served := false
		seen.through(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served = seen.busy() })).
			ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		if !served {
			t.Error("not busy while it answers")
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
