//go:build exhaustive

package app_test

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestMoveVaultAway: a new vault that is sealed, gone, or refuses the token is
// named with what to do. Before the move begins nothing is changed on either
// side; later it goes on where it stood.
func TestMoveVaultAway(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	v := vaultserver.Start(t)
	proxy := v.Proxy(t)
	credentials := filepath.Join(t.TempDir(), "credentials")
	want := app.MoveRequest{From: s.cfg, To: s.targetOn(t, v, postgrestest.Empty(t)), Credentials: credentials, Page: 2}
	want.To.VaultAddr = proxy.Address
	token := v.Token(t, "1h", "1h", "root")
	cut := func(*http.Request) vaultserver.Fault { return vaultserver.CutBefore }
	troubles := []struct {
		name       string
		begin, end func()
		says       []string
	}{
		{"sealed", func() { v.Seal(t) }, func() { v.Unseal(t) }, []string{"is sealed: unseal it"}},
		{"gone", func() { proxy.Fault(cut) }, func() { proxy.Fault(nil) }, []string{"is not responding"}},
		{"token ended", func() { v.Revoke(t, token) }, func() { token = v.Token(t, "1h", "1h", "root") }, []string{"denies access: VAULT_TOKEN"}},
	}
	before := files(t, s.cfg.Data)
	says := func(err error, parts ...string) {
		t.Helper()
		for _, part := range append(parts, proxy.Address) {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("it does not say %q: %v", part, err)
			}
		}
	}
	for _, c := range troubles {
		c.begin()
		for _, want.DryRun = range []bool{true, false} {
			want.To.VaultToken = secret.New(token)
			_, err := app.Move(t.Context(), want, io.Discard)
			says(err, c.says...)
		}
		c.end()
		s.untouched(t, before, false)
		if tables := must.Get(store.PostgresTables(t.Context(), store.Server{URL: want.To.DatabaseURL}))(t); len(tables) > 0 {
			t.Errorf("%s: tables were made: %v", c.name, tables)
		}
	}
	// Each trouble comes at two of these points, at the first, the second…
	points := []string{"after vault", "before documents", "documents", "before crl number", "revocations", "before checks"}
	for i, point := range points {
		c, begun := troubles[i%len(troubles)], false
		want.To.VaultToken = secret.New(token)
		want.At = func(at string) error {
			if at == point && !begun {
				begun = true
				c.begin()
			}
			return nil
		}
		_, err := app.Move(t.Context(), want, io.Discard)
		if !begun {
			t.Fatalf("it never came to %q: %v", point, err)
		}
		says(err, append(c.says, "Start it again with the same settings")...)
		c.end()
	}
	want.At, want.To.VaultToken = nil, secret.New(token)
	must.Get(app.Move(t.Context(), want, io.Discard))(t)
	s.serves(t, want.To, credentials)
}
