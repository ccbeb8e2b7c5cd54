package oidc

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// TestGivenUpConnection: a provider that gives a connection up just as the next call
// comes over it loses no code. A GET is asked again, a POST has its own connection.
func TestGivenUpConnection(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	used := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		again := used[r.RemoteAddr]
		used[r.RemoteAddr] = true
		mu.Unlock()
		if again {
			panic(http.ErrAbortHandler) // closes it without an answer
		}
	}))
	defer server.Close()
	client := newClient()
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPost, http.MethodGet} {
		r := must.Get(http.NewRequestWithContext(t.Context(), method, server.URL, strings.NewReader("")))(t)
		res, err := client.Do(r)
		if err != nil {
			t.Errorf("%s: %v", method, err)
			continue
		}
		must.OK(t, res.Body.Close())
	}
}
