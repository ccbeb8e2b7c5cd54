package agent

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/agent/ykman"
	"github.com/keyward/keyward/internal/middleware"
	"github.com/keyward/keyward/internal/problem"
	"github.com/keyward/keyward/test/must"
)

// FuzzBodies sends arbitrary bodies to every POST handler. Without a tool nothing
// can succeed: each response is a problem document with a known code, never an
// internal error.
func FuzzBodies(f *testing.F) {
	s := newServer(Config{
		AllowPlaintext: true, Log: slog.New(slog.DiscardHandler),
		Driver: ykman.New(ykman.Options{Path: filepath.Join(f.TempDir(), "missing")}),
	}, signer{})
	s.key.start(testKey(), s.log)
	_, mux := s.newAPI()
	handler := middleware.Identify(s.log, s.routes.before(middleware.Body{Types: []string{"application/json"}}, mux))
	var paths []string
	for path, method := range s.routes {
		if method == http.MethodPost {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for i := range paths {
		for _, body := range []string{
			`{"encrypted":false,"serial":"20260001","pin":"123456","puk":"12345678","management_key":"` + factoryKey + `"}`,
			`{"encrypted":true,"serial":"20260001","pin":"AAAA"}`,
			`{"encrypted":false,"serial":"20260001","field":"pin","candidates":["123456",""]}`,
			`{"encrypted":false,"serial":"20260001","pin":"123456","management_key":"` + factoryKey + `","subject":{"common_name":"a"}}`,
			`{"encrypted":false,"serial":"20260001","management_key":"` + factoryKey + `","certificate":"-----BEGIN CERTIFICATE-----\n"}`,
			`{"serial":"20260001","confirm":"20260001"}`, `{}`, `[]`, `null`, ``, `{"a":{"b":[{}]}}`, `{"serial":"a","serial":"b"}`,
		} {
			f.Add(uint8(i), body)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, body string) {
		path := paths[int(which)%len(paths)]
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		raw := must.Get(io.ReadAll(w.Result().Body))(t)
		if w.Code < 400 || w.Code == 500 || w.Header().Get("Content-Type") != problem.ContentType || !strings.Contains(string(raw), `"request_id":"`) {
			t.Fatalf("%s: %d %s", path, w.Code, raw)
		}
	})
}
