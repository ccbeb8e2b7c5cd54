package vaultserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/test/must"
)

// send sends a request with the root token to a node; path is below /v1/.
func (s *Server) send(ctx context.Context, node, method, path string, body any) ([]byte, error) {
	status, raw, err := s.ask(ctx, s.Root, node, method, path, body)
	if err == nil && status >= 300 {
		err = fmt.Errorf("%s %s: %d: %s", method, path, status, raw)
	}
	return raw, err
}

// ask is send with any token.
func (s *Server) ask(ctx context.Context, token, node, method, path string, body any) (status int, raw []byte, err error) {
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		reader = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, node+"/v1/"+path, reader)
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("X-Vault-Token", token)
	if method == http.MethodPatch { // RFC 7396
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	res, err := s.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err = io.ReadAll(res.Body)
	return res.StatusCode, raw, err
}

// As is a request with a token; it returns the status.
func (s *Server) As(t testing.TB, token, method, path string, body any) int {
	t.Helper()
	status, _, err := s.ask(t.Context(), token, s.Address, method, path, body)
	must.OK(t, err)
	return status
}

// active waits until the node serves.
func (s *Server) active(ctx context.Context) error {
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		if _, err := s.send(ctx, s.Address, http.MethodGet, "sys/health", nil); err == nil {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("it is not active: %w", ctx.Err())
		}
	}
}

// Call is a request of the operator; it returns the response's data.
func (s *Server) Call(t testing.TB, method, path string, body any) map[string]any {
	t.Helper()
	return must.Get(s.Do(t.Context(), method, path, body))(t)
}

// Do is Call for a program that is not a test.
func (s *Server) Do(ctx context.Context, method, path string, body any) (map[string]any, error) {
	raw, err := s.send(ctx, s.Address, method, path, body)
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	var said struct {
		Data map[string]any `json:"data"`
	}
	err = json.Unmarshal(raw, &said)
	return said.Data, err
}

// Seal seals it: every call is answered 503 until Unseal.
func (s *Server) Seal(t testing.TB) {
	t.Helper()
	s.Call(t, http.MethodPut, "sys/seal", nil)
}

// Unseal unseals it, and waits until it serves.
func (s *Server) Unseal(t testing.TB) {
	t.Helper()
	must.OK(t, s.unseal(t.Context(), s.Address))
	must.OK(t, s.active(t.Context()))
}

// UnsealSecond unseals the second node, which becomes active if none is.
func (s *Server) UnsealSecond(t testing.TB) {
	t.Helper()
	must.OK(t, s.unseal(t.Context(), s.Standby))
}

// StepDown makes the node give up being active for about ten seconds. A node that is
// not active stays so.
func (s *Server) StepDown(t testing.TB) {
	t.Helper()
	if _, err := s.send(t.Context(), s.Address, http.MethodPut, "sys/step-down", nil); err != nil {
		t.Logf("step down: %v", err)
	}
}

// Token creates a token with policies and a TTL, such as "2s".
func (s *Server) Token(t testing.TB, ttl, maxTTL string, policies ...string) string {
	t.Helper()
	raw := must.Get(s.send(t.Context(), s.Address, http.MethodPost, "auth/token/create", map[string]any{
		"policies": policies, "ttl": ttl, "explicit_max_ttl": maxTTL, "no_parent": true, "no_default_policy": true,
	}))(t)
	var said struct {
		Auth struct {
			Token string `json:"client_token"`
		} `json:"auth"`
	}
	must.OK(t, json.Unmarshal(raw, &said))
	return said.Auth.Token
}

// Revoke revokes a token.
func (s *Server) Revoke(t testing.TB, token string) {
	t.Helper()
	s.Call(t, http.MethodPost, "auth/token/revoke", map[string]string{"token": token})
}

// EndTokens revokes every token with a policy, as an operator may.
func (s *Server) EndTokens(t testing.TB, policy string) {
	t.Helper()
	list, ok := s.Call(t, http.MethodGet, "auth/token/accessors/?list=true", nil)["keys"].([]any)
	if !ok {
		t.Fatal("no list of accessors")
	}
	for _, accessor := range list {
		raw, err := s.send(t.Context(), s.Address, http.MethodPost, "auth/token/lookup-accessor", map[string]any{"accessor": accessor})
		if err != nil {
			continue // it has ended meanwhile
		}
		var said struct {
			Data struct {
				Policies []string `json:"policies"`
			} `json:"data"`
		}
		must.OK(t, json.Unmarshal(raw, &said))
		if slices.Contains(said.Data.Policies, policy) {
			s.Call(t, http.MethodPost, "auth/token/revoke-accessor", map[string]any{"accessor": accessor})
		}
	}
}
