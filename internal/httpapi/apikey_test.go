package httpapi

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
)

// numbered is an Authenticator whose bearer is a number: a session's, or below zero an
// API key's.
type numbered struct{}

func (numbered) Authenticate(_ context.Context, bearer string, _ RequestInfo) (access.Actor, account.User, error) {
	n, err := strconv.ParseInt(bearer, 10, 64)
	if err != nil {
		return access.Actor{}, account.User{}, err
	}
	if n < 0 {
		all := []access.KeyScope{access.KeyAll}
		return access.Actor{APIKeyID: -n, Username: "api-key:ci", Role: access.GlobalAdmin, KeyScopes: all}, account.User{}, nil
	}
	return access.Actor{UserID: 1, SessionID: n, Username: "root", Role: access.GlobalAdmin}, account.User{}, nil
}

// TestKeysCountAlone: each API key has its own limit, apart from a session with the
// same number.
func TestKeysCountAlone(t *testing.T) {
	t.Parallel()
	_, base := setup(t, func(o *Options) {
		o.Auth = numbered{}
		o.Limits = Limits{Session: Rate{PerMinute: 1, Burst: 2}}
	})
	for _, who := range []string{"-1", "-2", "1", "2"} {
		for i, want := range []int{200, 200, 429} {
			got := do(t, "POST", base+"/api/test/admin", `{"name":"x"}`, append(asJSON, "Authorization", "Bearer "+who)...)
			if got.StatusCode != want {
				t.Errorf("%s, request %d: %d %s", who, i+1, got.StatusCode, got.Text)
			}
		}
	}
}

// TestKeysAreDeniedAndLogged: a refused key learns why, the hook is called, and the log
// names the key by its number.
func TestKeysAreDeniedAndLogged(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var logs bytes.Buffer
	var denied []string
	_, base := setup(t, func(o *Options) {
		o.Auth, o.AccessLog = numbered{}, true
		o.Log = slog.New(slog.NewJSONHandler(&lockedWriter{mu: &mu, b: &logs}, nil))
		o.OnDenied = func(_ context.Context, a access.Actor, d Denial) {
			mu.Lock()
			defer mu.Unlock()
			denied = append(denied, a.Username+" "+string(d.Operation))
		}
	})
	res := do(t, "GET", base+"/api/test/fail/plain", "", "Authorization", "Bearer -7") // uses the rules of "me"
	if doc := res.Document(t); doc.Code != "permission_denied" || !strings.Contains(doc.Detail, "API key") {
		t.Errorf("%d %s", res.StatusCode, res.Text)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(denied) != 1 || denied[0] != "api-key:ci me" {
		t.Errorf("the hook heard %v", denied)
	}
	if line := logs.String(); !strings.Contains(line, `"api_key_id":7`) || strings.Contains(line, "session_id") {
		t.Errorf("log: %s", line)
	}
}

type lockedWriter struct {
	mu *sync.Mutex
	b  *bytes.Buffer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}
