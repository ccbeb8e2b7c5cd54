package app

import (
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// quietAfter is how long after the last request none come.
const quietAfter = time.Second

// traffic knows whether requests come to this process.
type traffic struct{ last atomic.Int64 } // of the latest, in nanoseconds

// through notes the requests to a handler, but for those that only look how it is, or how
// far a backup is.
func (t *traffic) through(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := r.URL.Path; {
		case path == "/livez", path == "/readyz", strings.HasSuffix(path, "/health"), strings.HasPrefix(path, "/api/backup/"):
		default:
			t.last.Store(time.Now().UnixNano())
		}
		h.ServeHTTP(w, r)
	})
}

// busy tells whether a request came within the last second.
func (t *traffic) busy() bool { return time.Since(time.Unix(0, t.last.Load())) < quietAfter }
