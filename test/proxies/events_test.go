package proxies_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/proxies"
	"github.com/keyward/keyward/test/server"
)

// TestEvents: what changes arrives while the response goes on.
func TestEvents(t *testing.T) {
	each(t, func(t *testing.T, p proxies.Program) {
		s := start(t, p)
		token := s.ask(t, "", request(t, "POST", proxies.Site+"/api/auth/login",
			strings.NewReader(`{"username":"admin","password":"`+server.Password+`"}`), "Content-Type", "application/json")).object(t)["access_token"].(string)
		transport := s.Transport("")
		defer transport.CloseIdleConnections()
		res := must.Get(transport.RoundTrip(request(t, "GET", proxies.Site+"/api/events", nil, "Authorization", "Bearer "+token)))(t)
		defer func() { _ = res.Body.Close() }()
		lines := bufio.NewScanner(res.Body)
		until := func(want string) {
			t.Helper()
			for lines.Scan() {
				if lines.Text() == want {
					return
				}
			}
			t.Fatalf("%d: it ended (%v) without %s", res.StatusCode, lines.Err(), want)
		}
		until("event: position")
		made := s.ask(t, "", request(t, "POST", proxies.Site+"/api/hwkey", strings.NewReader(`{"serial":"50000001"}`),
			"Content-Type", "application/json", "Authorization", "Bearer "+token))
		if made.StatusCode != http.StatusCreated {
			t.Fatal(made.body)
		}
		until(`data: {"id":"50000001","kind":"tokens"}`)
	})
}
