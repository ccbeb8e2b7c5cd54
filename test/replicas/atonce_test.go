package replicas_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/await"
)

// answers sends the same request to every server, and fails if a response differs.
func (i *installation) answers(t testing.TB, token, method, path string, status int, code string) {
	t.Helper()
	for n := range i.servers {
		c := i.at(t, n)
		c.token = token
		got, out := c.send(t, method, path, nil)
		if said, _ := out["code"].(string); got != status || said != code {
			t.Errorf("server %d: %s %s: %d %s, want %d %s", n, method, path, got, said, status, code)
		}
	}
}

// TestAtOnce: a change at one server applies to all of them as soon as it is answered,
// despite their caches.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	i := install(t, nil)
	admins := make([]*client, count)
	for n := range admins {
		admins[n] = i.at(t, n)
		admins[n].signIn(t, "admin", adminPassword)
	}
	organization := int(admins[0].must(t, http.MethodPost, "/api/admin/organizations", m{"name": "Acme"})["id"].(float64))
	person := func(name, role string) (id int, token string) {
		body := m{"username": name, "email": name + "@example.org", "password": userPassword, "role": role, "organization_id": organization}
		id = int(admins[0].must(t, http.MethodPost, "/api/admin/users", body)["id"].(float64))
		c := i.at(t, 1)
		c.signIn(t, name, userPassword)
		i.answers(t, c.token, http.MethodGet, "/api/auth/me", 200, "") // every server has seen it
		return id, c.token
	}
	at := func(n int, token string) *client {
		c := i.at(t, n)
		c.token = token
		return c
	}

	t.Run("logout", func(t *testing.T) {
		_, token := person("leaving", "user")
		at(2, token).must(t, http.MethodPost, "/api/auth/logout", nil)
		i.answers(t, token, http.MethodGet, "/api/auth/me", 401, "session_not_found")
	})
	t.Run("a session ended by somebody else", func(t *testing.T) {
		_, token := person("thrownout", "user")
		session := int(at(0, token).must(t, http.MethodGet, "/api/auth/me", nil)["session_id"].(float64))
		admins[1].must(t, http.MethodDelete, fmt.Sprintf("/api/auth/sessions/%d", session), nil)
		i.answers(t, token, http.MethodGet, "/api/auth/me", 401, "session_not_found")
	})
	t.Run("disabling", func(t *testing.T) {
		id, token := person("dismissed", "user")
		admins[0].must(t, http.MethodPatch, fmt.Sprintf("/api/admin/users/%d", id), m{"is_active": false})
		i.answers(t, token, http.MethodGet, "/api/auth/me", 401, "session_not_found")
	})
	t.Run("change of role", func(t *testing.T) {
		id, token := person("demoted", "org_manager")
		i.answers(t, token, http.MethodGet, "/api/admin/users", 200, "")
		admins[2].must(t, http.MethodPatch, fmt.Sprintf("/api/admin/users/%d", id), m{"role": "user"})
		i.answers(t, token, http.MethodGet, "/api/admin/users", 401, "session_not_found")
	})
	t.Run("a revoked API key", func(t *testing.T) {
		made := admins[0].must(t, http.MethodPost, "/api/admin/api-keys", m{"name": "inventory", "role": "global_admin"})
		key := made["key"].(string)
		i.answers(t, key, http.MethodGet, "/api/hwkey", 200, "")
		admins[1].must(t, http.MethodDelete, fmt.Sprintf("/api/admin/api-keys/%d", int(made["id"].(float64))), nil)
		i.answers(t, key, http.MethodGet, "/api/hwkey", 401, "token_invalid")
	})
	t.Run("lockout", func(t *testing.T) { i.lockout(t, admins[0]) })
	t.Run("revocation", func(t *testing.T) { i.revocation(t) })
}

// lockout: of many concurrent guesses, at all servers, five are checked.
func (i *installation) lockout(t testing.TB, admin *client) {
	admin.must(t, http.MethodPost, "/api/admin/users",
		m{"username": "guessed", "email": "guessed@example.org", "password": userPassword, "role": "user"})
	var mu sync.Mutex
	said := map[string]int{}
	var group sync.WaitGroup
	for n := range 30 {
		c := i.at(t, n%count)
		group.Go(func() {
			status, out := c.send(t, http.MethodPost, "/api/auth/login", m{"username": "guessed", "password": "a guess"})
			mu.Lock()
			defer mu.Unlock()
			said[fmt.Sprintf("%d %v", status, out["code"])]++
		})
	}
	group.Wait()
	// Beyond five concurrent ones a client is asked to retry later, before or after the
	// lock.
	if said["401 invalid_credentials"] != 5 || said["429 account_locked"]+said["429 rate_limited"] != 25 {
		t.Errorf("30 guesses: %v", said)
	}
}

// revocation: a revocation at any server is on the list cached by every other.
func (i *installation) revocation(t testing.TB) {
	s := i.staff(t)
	w := s.workers[0]
	for n := range i.servers {
		crl(t, i.at(t, n)) // cached from now on
	}
	for n := range i.servers {
		w.user, w.admin = i.with(t, n, w.user.token), i.with(t, n, w.admin.token)
		w.do(t, fmt.Sprintf("9%07d", n), true)
		serial := w.done[n].certificate
		for other := range i.servers {
			c := i.at(t, other)
			await.That(t, fmt.Sprintf("server %d lists what server %d revoked", other, n), func() bool { return crl(t, c)[serial] })
		}
	}
}

// with returns the client with that token, at one server.
func (i *installation) with(t testing.TB, n int, token string) *client {
	c := i.at(t, n)
	c.token = token
	return c
}
