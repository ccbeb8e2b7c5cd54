package httpapi

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/logging"
)

// BenchmarkEdge is what the edge itself costs a request: handlers that do
// nothing, no connection, no store.
func BenchmarkEdge(b *testing.B) {
	for _, tc := range []struct {
		name, path string
		log        bool
	}{
		{"bare", "", false}, // net/http's own part of the measurement
		{"signed in", "/api/test/who/x", false},
		{"signed in, access log", "/api/test/who/x", true},
		{"raw, public", "/health", false},
		{"raw, public, access log", "/health", true},
	} {
		b.Run(tc.name, func(b *testing.B) {
			s := newServerWithTestRoutes(Options{
				Auth: tokens{}, Health: standing{}, Metrics: NewMetrics(), Limits: Limits{Session: Rate{1e9, 1e9}, Open: Rate{1e9, 1e9}},
				AccessLog: tc.log, Log: logging.New(io.Discard, slog.LevelInfo, "json"),
			})
			var h http.Handler = s
			if tc.path == "" {
				h = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
			}
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				r := httptest.NewRequest(http.MethodGet, "http://x"+tc.path, nil)
				r.Header.Set("Authorization", "Bearer "+string(access.User))
				r.Header.Set("User-Agent", "bench")
				for pb.Next() {
					w := discard{make(http.Header, 8)}
					h.ServeHTTP(w, r)
				}
			})
		})
	}
}
