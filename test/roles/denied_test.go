package roles

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/httpapi/apitest"
	"github.com/keyward/keyward/test/server"
)

// TestDeniedAndNotFoundAuditedAlike: a request for something out of scope is recorded
// with its target, and neither the response nor the entry reveals whether that exists.
// It tries every operation of the contract whose path names a thing.
func TestDeniedAndNotFoundAuditedAlike(t *testing.T) {
	t.Parallel()
	c := newFixture(t)
	api, err := apitest.Load()
	if err != nil {
		t.Fatal(err)
	}
	stranger, table, kinds := c.person("qz-b-user"), table(), map[any]int{}
	for id, op := range api.Operations() {
		if !probes[id].target {
			if strings.Contains(op.Path, "{") && !slices.Contains(strings.Fields(public), id) {
				t.Errorf("%s names a thing, and its probe none", id)
			}
			continue
		}
		for _, role := range []role{orgManager, user} {
			if table[id].reach[role] == none {
				continue
			}
			actor := c.another(t, role) // only 20 a minute are listed for each actor
			d, there := c.prepare(t, cell{op: op, probe: probes[id], actor: actor, owner: stranger}, false)
			_, name, _ := strings.Cut(op.Path, "{")
			name, _, _ = strings.Cut(name, "}")
			value := d.params[name]
			absent := map[string]string{"serial": "99999", "serial_number": "0123456789abcdef", "id": "99999"}[name]
			kind := c.alike(t, actor, asked{op.Method, there, d.body, value},
				asked{op.Method, strings.Replace(there, "/"+value, "/"+absent, 1), d.body, absent})
			kinds[kind]++
		}
	}
	if want := 11; len(kinds) != want {
		t.Errorf("the entries are of %v, want %d kinds", kinds, want)
	}
	b, own := fmt.Sprint(c.orgs["b"]), c.another(t, orgManager)
	c.alike(t, own, asked{"GET", "/api/reports/compliance?organization_id=" + b, nil, b},
		asked{"GET", "/api/reports/compliance?organization_id=99999", nil, "99999"})
	c.alike(t, c.person("qk-a-manager"), asked{"GET", "/api/hwkey/" + stranger.serial, nil, stranger.serial},
		asked{"GET", "/api/hwkey/99999", nil, "99999"})
}

// another returns a member of organization a who has not been denied anything yet.
func (c *fixture) another(t *testing.T, r role) *person {
	t.Helper()
	p := &person{role: r, org: "a"}
	id, name := c.newAccount(t, p)
	p.name = name
	p.id, _ = strconv.Atoi(id)
	p.token, p.session = c.SignIn(t, name, password)
	return p
}

// asked is a request for a thing out of the actor's reach.
type asked struct {
	method, path string
	body         any
	target       string
}

// alike requires the same response and entry for an existing thing and a missing one.
// It returns the kind of thing in the entry.
func (c *fixture) alike(t *testing.T, actor *person, there, absent asked) (kind any) {
	t.Helper()
	seen := func(r asked) (answer, entry map[string]any) {
		res := c.Call(t, r.method, r.path, actor.token, r.body)
		e := c.newestDenial(t)
		named := strings.HasSuffix(fmt.Sprint(e["actor"]), actor.name) && e["target_id"] == r.target && e["target_type"] != "operation"
		if res.Status != http.StatusNotFound || !named {
			t.Errorf("%s %s: %d %s; the newest denial is %v", r.method, r.path, res.Status, res.Raw, e)
		}
		kind = e["target_type"]
		delete(res.Body, "request_id")
		// target_name is no part of the entry: the global admin, who reads it here, may see all names.
		for _, name := range []string{"id", "at", "request_id", "target_id", "target_name"} {
			delete(e, name)
		}
		return res.Body, e
	}
	one, entry := seen(there)
	other, otherEntry := seen(absent)
	if diff := cmp.Diff(one, other); diff != "" {
		t.Errorf("%s %s: the answer tells what exists (-there +absent):\n%s", there.method, there.path, diff)
	}
	if diff := cmp.Diff(entry, otherEntry); diff != "" {
		t.Errorf("%s %s: the entries tell what exists (-there +absent):\n%s", there.method, there.path, diff)
	}
	return kind
}

// TestWhatIsDenied: each thing of a bulk change is denied, also if its name is invalid;
// and an actor who reaches everything is not denied what does not exist.
func TestWhatIsDenied(t *testing.T) {
	t.Parallel()
	c := newFixture(t)
	stranger, chief, manager := c.person("qz-b-user"), c.person("qz-chief"), c.person("qz-a-manager")
	noName, shown := "a\u0085b"+strings.Repeat("9", 200), "a?b"+strings.Repeat("9", 124)
	res := c.Call(t, "GET", "/api/admin/users/"+url.PathEscape(noName), c.person("qz-a-user").token, nil)
	if got := c.newestDenial(t)["target_id"]; got != shown {
		t.Errorf("on record as %q; the answer was %s", got, res.Raw)
	}
	for serial, shown := range map[string]string{stranger.serial: stranger.serial, noName: shown} {
		c.Must(t, "POST", "/api/hwkey/bulk", manager.token, fields{"serials": []string{serial}, "status": "lost"})
		if e := c.newestDenial(t); e["target_id"] != shown || e["target_type"] != "hwkey" || e["actor"] != manager.name {
			t.Errorf("bulk: the newest entry is %v", e)
		}
	}
	before := c.newestDenial(t)["id"]
	c.Call(t, "GET", "/api/hwkey/99999", chief.token, nil)
	c.Call(t, "GET", "/api/hwkey/"+manager.serial+"/rotations/99999?reason=look", manager.token, nil) // the token is theirs
	if after := c.newestDenial(t)["id"]; after != before {
		t.Error("what is not there was denied")
	}
	c.Call(t, "GET", "/api/admin/users/"+fmt.Sprint(stranger.id), stranger.token, nil)
	if e := c.newestDenial(t); e["actor"] != stranger.name || e["target_type"] != "user" || e["target_id"] != fmt.Sprint(stranger.id) {
		t.Errorf("by role: %v", e)
	}
}

// TestTakenElsewhereIsOnRecord: a response that a name or serial number is taken
// reveals another organization's: a caller who tries thousands, even in a dry run, is
// recorded.
func TestTakenElsewhereIsOnRecord(t *testing.T) {
	t.Parallel()
	c := newFixture(t)
	manager, other, chief := c.person("qz-a-manager"), c.person("qz-b-user"), c.person("qz-chief")
	email := other.name + "@example.org"
	for _, x := range []struct {
		path, target, kind string
		body               any
	}{
		{"/api/hwkey/import?dry_run=true", other.serial, "hwkey", server.CSV("serial\n" + other.serial + "\n")},
		{"/api/hwkey/import?dry_run=true", other.name, "user", server.CSV("serial,owner\n20269999," + other.name + "\n")},
		{"/api/hwkey", other.serial, "hwkey", fields{"serial": other.serial}},
		{"/api/admin/users/import?dry_run=true", other.name, "user", server.CSV("username,email\n" + other.name + ",qz-new@example.org\n")},
		{"/api/admin/users/import?dry_run=true", email, "user", server.CSV("username,email\nqz-new," + email + "\n")},
		{"/api/admin/users", other.name, "user", fields{"username": other.name, "email": "qz-new@example.org"}},
	} {
		before := c.newestDenial(t)["id"]
		c.Call(t, "POST", x.path, chief.token, x.body) // nothing is out of reach of this one
		if e := c.newestDenial(t); e["id"] != before {
			t.Errorf("%s: %v", x.path, e)
		}
		c.Call(t, "POST", x.path, manager.token, x.body)
		if e := c.newestDenial(t); e["id"] == before || e["target_type"] != x.kind || e["target_id"] != x.target || e["actor"] != manager.name {
			t.Errorf("%s: the newest entry is %v", x.path, e)
		}
	}
}

func (c *fixture) newestDenial(t *testing.T) map[string]any {
	t.Helper()
	items := c.Must(t, "GET", "/api/admin/audit?limit=1&action=permission.denied", c.root().token, nil)["items"].([]any)
	if len(items) == 0 {
		return map[string]any{}
	}
	return items[0].(map[string]any)
}
