package remote

import (
	"net/http"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// TestStay: the token goes along with a redirect, so none is followed that would send it in the
// clear.
func TestStay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		follows  bool
	}{
		{"https://a.example:8200", "https://b.example:8200", true},
		{"https://a.example:8200", "http://b.example:8200", false},
		{"https://a.example:8200", "http://127.0.0.1:8200", false},
		{"http://127.0.0.1:8200", "http://127.0.0.1:8300", true},
		{"http://127.0.0.1:8200", "http://localhost:8300", true},
		{"http://localhost:8200", "https://b.example:8200", true},
		{"http://127.0.0.1:8200", "http://10.0.0.5:8200", false},
		{"http://127.0.0.1:8200", "http://b.example", false},
		{"http://127.0.0.1:8200", "http://localhost.example", false},
	} {
		from := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, c.from, nil))(t)
		to := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, c.to, nil))(t)
		if err := stay(to, []*http.Request{from}); (err == nil) != c.follows {
			t.Errorf("%s to %s: %v", c.from, c.to, err)
		}
		if stay(to, []*http.Request{from, from}) == nil {
			t.Errorf("%s to %s is followed a second time", c.from, c.to)
		}
	}
}
