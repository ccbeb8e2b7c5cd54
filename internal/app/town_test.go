package app_test

import (
	"fmt"
	"testing"

	"github.com/keyward/keyward/internal/config"
)

// town is a server with two organizations: in each a manager, a user, and a
// token of the user; and one token in stock.
type town struct {
	*server
	tokens   map[string]string // access token by username
	sessions map[string]int
	ids      map[string]any // user and organization ids by name
	serial   string         // a certificate of a's token
}

const usual = "a usual password"

func newTown(t *testing.T) *town {
	t.Helper()
	return newTownWith(t, func(*config.Config) {})
}

// newTownWith is newTown with other settings.
func newTownWith(t *testing.T, change func(*config.Config)) *town {
	t.Helper()
	cfg := testConfig(t, t.TempDir())
	change(&cfg)
	w := &town{server: start(t, cfg), tokens: map[string]string{}, sessions: map[string]int{}, ids: map[string]any{}}
	w.signIn("admin", adminPassword)
	for i, org := range []string{"a", "b"} {
		w.ids[org] = w.must(201, "POST", "/api/admin/organizations", w.tokens["admin"], map[string]any{"name": "org " + org})["id"]
		for _, role := range []string{"org_manager", "user"} {
			name := org + "-" + role
			w.ids[name] = w.must(201, "POST", "/api/admin/users", w.tokens["admin"], map[string]any{
				"username": name, "email": name + "@example.org", "password": usual, "role": role, "organization_id": w.ids[org],
			})["id"]
			w.signIn(name, usual)
		}
		w.must(201, "POST", "/api/hwkey", w.tokens[org+"-org_manager"], map[string]any{
			"serial": fmt.Sprintf("1000%d", i), "owner_id": w.ids[org+"-user"],
		})
	}
	w.must(201, "POST", "/api/hwkey", w.tokens["admin"], map[string]any{"serial": "10009", "organization_id": w.ids["a"]})
	w.registerAgent(w.tokens["a-user"], w.sessions["a-user"])
	w.registerAgent(w.tokens["a-org_manager"], w.sessions["a-org_manager"])
	w.registerAgent(w.tokens["b-org_manager"], w.sessions["b-org_manager"])
	signed := w.must(200, "POST", "/api/hwkey/10000/sign-csr", w.tokens["a-user"], map[string]any{"csr": request(t, "a-user", nil)})
	w.serial = signed["serial_number"].(string)
	return w
}

func (w *town) signIn(name, password string) {
	w.tokens[name], w.sessions[name] = w.login(name, password)
}
