package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/keyward/keyward/api/agent"
	"github.com/keyward/keyward/internal/loopback"
)

const (
	agentTimeout = 30 * time.Second
	// A change waits up to 30 seconds in the agent's queue before it runs.
	changeTimeout = 90 * time.Second
	// Generating a key takes seconds, and may wait for a touch.
	keyTimeout = 3 * time.Minute
)

// Agent is a connection to the workstation's agent. It never repeats a request that
// touches the card.
type Agent struct{ caller *caller }

// NewAgent returns a connection. It accepts only loopback addresses: the agent never
// listens elsewhere.
func NewAgent(address, userAgent string) (*Agent, error) {
	if userAgent == "" {
		userAgent = "keyward"
	}
	c, err := newCaller("agent", address, false, userAgent)
	if err != nil {
		return nil, err
	}
	if !loopback.Host(c.base.Hostname()) {
		return nil, fmt.Errorf("the agent's address must be on this computer, such as http://127.0.0.1:56123")
	}
	if t, ok := c.http.Transport.(*http.Transport); ok {
		t.Proxy = nil
	}
	return &Agent{c}, nil
}

// SetTransport replaces the HTTP transport. Call it before the first request.
func (a *Agent) SetTransport(t http.RoundTripper) { a.caller.http.Transport = t }

func (a *Agent) get(ctx context.Context, path string, query url.Values, timeout time.Duration, out any) error {
	return a.caller.do(ctx, request{method: http.MethodGet, path: path, query: query, timeout: timeout, repeatable: true}, out)
}

func (a *Agent) post(ctx context.Context, path string, body any, timeout time.Duration, out any) error {
	return a.caller.do(ctx, request{method: http.MethodPost, path: path, body: body, timeout: timeout}, out)
}

// WellKnown checks whether an agent is there.
func (a *Agent) WellKnown(ctx context.Context) (WellKnown, error) {
	var w WellKnown
	return w, a.get(ctx, "/.well-known/service-agent", nil, agentTimeout, &w)
}

// Health checks whether the agent works.
func (a *Agent) Health(ctx context.Context) (WellKnown, error) {
	var w WellKnown
	return w, a.get(ctx, "/health", nil, agentTimeout, &w)
}

// PublicKey reads the agent's key, signed by its identity. It waits until the key is
// generated.
func (a *Agent) PublicKey(ctx context.Context) (AgentKey, error) {
	var k AgentKey
	return k, a.get(ctx, "/pubkey", nil, changeTimeout, &k)
}

// SystemInfo describes the workstation.
func (a *Agent) SystemInfo(ctx context.Context) (SystemInfo, error) {
	var s SystemInfo
	return s, a.get(ctx, "/system/info", nil, agentTimeout, &s)
}

// Discover lists the connected tokens.
func (a *Agent) Discover(ctx context.Context) ([]Connected, error) {
	var d agent.Tokens
	err := a.get(ctx, "/discover", nil, changeTimeout, &d)
	return d.Tokens, err
}
