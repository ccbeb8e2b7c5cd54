package agent

import (
	"net/http"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/test/must"
)

// TestIdentityVouchesForTheKey, only at the site of the page that asks.
func TestIdentityVouchesForTheKey(t *testing.T) {
	t.Parallel()
	const site, other = "https://keyward.example.org", "https://other.example.org"
	a := start(t, Config{Origins: []string{site, other}})
	for sent, signed := range map[string]string{"": "-", site: site, other: other} {
		out := a.do(t, http.MethodGet, "/pubkey", nil, func(r *http.Request) {
			if sent != "" {
				r.Header.Set("Origin", sent)
			}
		})
		identity, ok := out.body["identity"].(m)
		if !ok || out.status != 200 {
			t.Fatalf("/pubkey: %d %s", out.status, out.raw)
		}
		key := must.Get(agentkey.ParsePublicKey(out.body["public_key"].(string)))(t)
		if got, want := out.body["fingerprint"], must.Get(agentkey.Fingerprint(key))(t); got != want {
			t.Errorf("fingerprint %v, want %s", got, want)
		}
		public := must.Get(agentkey.ParseIdentity(identity["public_key"].(string)))(t)
		if !public.Equal(testIdentity().Public()) {
			t.Error("another identity")
		}
		all := []string{site, other, "-", "null"}
		if got, ok := agentkey.Verify(public, identity["signature"].(string), all, key); !ok || got != signed {
			t.Errorf("asked from %q: signed for %q (%v), want %q", sent, got, ok, signed)
		}
		code := agentkey.VerificationCode(must.Get(agentkey.Fingerprint(public))(t))
		if !strings.Contains(a.log.String(), "code="+code+"\n") {
			t.Errorf("the log does not tell the code %s: %s", code, a.log.String())
		}
	}
}
