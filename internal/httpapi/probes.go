package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/access"
)

// The two probes of an orchestrator. It restarts a server that is not live, so liveness
// checks nothing: a restart does not bring back a database. One that is not ready gets
// no requests meanwhile.
const (
	livePath  = "/livez"
	readyPath = "/readyz"
)

// beside are the paths outside of /api that are not pages.
var beside = map[string]bool{"/health": true, livePath: true, readyPath: true}

// ProbeResponse is the response to liveness and readiness probes.
type ProbeResponse struct {
	Status  string `json:"status" enum:"ok,draining,unavailable" doc:"draining: the server is about to stop; unavailable: no database, or the secret of the access tokens was not loaded from the vault yet"`
	Version string `json:"version"`
}

// Drain makes readiness fail from now on, so that a load balancer sends no more
// requests. Requests are still answered as before, but each response closes its
// connection, so that none breaks when the server has stopped.
func (s *Server) Drain() {
	if s.draining.CompareAndSwap(false, true) {
		close(s.drained)
	}
}

// Draining is closed by Drain: a response that would go on for long then ends.
func (s *Server) Draining() <-chan struct{} { return s.drained }

// closing is the header of a response that closes its connection; over HTTP/2 the
// library turns it into a GOAWAY.
var closing = []string{"close"}

func (s *Server) live() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { s.probed(w, http.StatusOK, "ok") })
}

// ready calls ping, at most once a second, and checks that everything loaded at startup
// is there.
func (s *Server) ready(ping func(context.Context) error) http.Handler {
	answers := kept{now: s.opts.Now, ask: func(ctx context.Context) (int, []byte) {
		if err := ping(ctx); err != nil || s.opts.Started != nil && !s.opts.Started() {
			return http.StatusServiceUnavailable, s.probe("unavailable")
		}
		return http.StatusOK, s.probe("ok")
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			s.probed(w, http.StatusServiceUnavailable, "draining")
			return
		}
		answers.ServeHTTP(w, r)
	})
}

func (s *Server) probed(w http.ResponseWriter, status int, word string) {
	writeStanding(w, status, s.probe(word))
}

func (s *Server) probe(word string) []byte {
	body, _ := json.Marshal(ProbeResponse{Status: word, Version: s.opts.Version}) // two strings
	return append(body, '\n')
}

func (s *Server) registerProbes() {
	schema := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[ProbeResponse](), true, "")
	content := map[string]*huma.MediaType{"application/json": {Schema: schema}}
	register := func(id access.Operation, path, summary, description string, h http.Handler) {
		op := Operation{
			ID: id, Method: http.MethodGet, Path: path, Limit: LimitNone, Passes: Always, Tags: []string{"system"},
			Summary: summary, Description: description,
		}
		answers := map[string]*huma.Response{"200": {Description: "ok", Content: content}}
		if id == "ready" {
			answers["503"] = &huma.Response{Description: "draining or unavailable", Content: content}
		}
		RegisterRaw(s, op, answers, h)
	}
	ping := func(ctx context.Context) error { return s.opts.Health.Ping(ctx) }
	register("live", livePath, "Check that the process answers",
		"For whatever restarts the process if it doesn't answer. Neither the database nor the vault is asked.", s.live())
	register("ready", readyPath, "Check whether the server takes requests",
		"For load balancers: 503 without the database, and as soon as the server begins to stop. The vault counts only until "+
			"the server has loaded the access tokens' secret from it, because nobody can be signed in before that. "+
			"Afterwards it doesn't, so that the CRL stays reachable.", s.ready(ping))
}
