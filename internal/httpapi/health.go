package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/vault"
)

// Health checks the service's dependencies.
type Health interface {
	// Ping returns nil when the database answers.
	Ping(ctx context.Context) error
	// State returns the vault's state.
	State(ctx context.Context) vault.State
}

// HealthResponse is the response of the health check (specification, "Health response";
// contract, "Health").
type HealthResponse struct {
	Status   string `json:"status" enum:"ok,degraded,unavailable" doc:"degraded: the vault is away, or something was found of it or the database; the CRL is served still; unavailable: no database"`
	Version  string `json:"version"`
	Database string `json:"database" enum:"connected,altered,older,disconnected" doc:"altered: someone added triggers, rules or views to its tables, so secrets and signatures are held back; older: it is older than the vault expects, so nobody can sign in either"`
	Vault    string `json:"vault" enum:"connected,older,disconnected,sealed" doc:"older: it was put back, and the database knows more, so secrets and signatures are held back"`
}

const (
	healthFresh   = time.Second
	healthTimeout = 2 * time.Second
)

// kept is a response that is computed at most once a second, for all requests.
type kept struct {
	ask func(context.Context) (status int, body []byte)
	now func() time.Time

	mu     sync.Mutex
	asked  time.Time
	status int
	body   []byte
}

func (k *kept) answer(ctx context.Context) (int, []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := k.now(); k.body == nil || now.Sub(k.asked) >= healthFresh || now.Before(k.asked) {
		// The client may go away; the next one needs the response all the same.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthTimeout)
		defer cancel()
		k.status, k.body = k.ask(ctx)
		k.asked = k.now()
	}
	return k.status, k.body
}

func (k *kept) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, body := k.answer(r.Context())
	writeStanding(w, status, body)
}

// writeStanding writes a response about the service's state, which must not be cached.
func writeStanding(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Cache-Control"] = noStore
	if status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "5")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// healthCheck queries the service's dependencies.
type healthCheck struct {
	version string
	health  Health
	found   func() (database, vault string) // nil: not checked
}

func (c healthCheck) ask(ctx context.Context) (int, []byte) {
	states := make(chan vault.State, 1)
	go func() { states <- c.health.State(ctx) }()
	dbErr := c.health.Ping(ctx)

	state := <-states
	if state == vault.Denied { // only signed-in users learn that the credentials are wrong
		state = vault.Disconnected
	}
	answer := HealthResponse{Status: "ok", Version: c.version, Database: "connected", Vault: string(state)}
	status := http.StatusOK
	if answer.Vault != string(vault.Connected) {
		answer.Status = "degraded"
	}
	if c.found != nil {
		database, of := c.found()
		if database != "" {
			answer.Status, answer.Database = "degraded", database
		}
		if of != "" && answer.Vault == string(vault.Connected) {
			answer.Status, answer.Vault = "degraded", of
		}
	}
	if dbErr != nil {
		answer.Status, answer.Database, status = "unavailable", "disconnected", http.StatusServiceUnavailable
	}
	body, _ := json.Marshal(answer) // four strings
	return status, append(body, '\n')
}

var jsonType = []string{"application/json"}

func (s *Server) registerHealth() {
	op := Operation{
		ID: "health", Method: http.MethodGet, Path: "/api/health", Limit: LimitOpen, Passes: Always, Tags: []string{"system"},
		Summary: "Show the health of the service",
		Description: "The same answer is at /health, for load balancers. It is 200 without the vault, so that the CRL stays reachable, " +
			"and 503 without the database.",
	}
	health := &kept{ask: healthCheck{s.opts.Version, s.opts.Health, s.opts.Found}.ask, now: s.opts.Now}
	schema := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[HealthResponse](), true, "")
	content := map[string]*huma.MediaType{"application/json": {Schema: schema}}
	RegisterRaw(s, op, map[string]*huma.Response{
		"200": {Description: "ok or degraded", Content: content},
		"503": {Description: "unavailable", Content: content},
	}, health)
	s.mux.Handle("GET /health", s.guard(s.routes["health"], health))
}
