package roles

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/httpapi/apitest"

	"github.com/keyward/keyward/test/server"
)

// cell is one try: an operation, by somebody, on somebody's thing.
type cell struct {
	op    apitest.Operation
	rule  access.Rule
	probe probe
	actor *person // nil: nobody is signed in
	owner *person // nil: the operation names nothing
}

func (c cell) String() string {
	who, whose := "nobody", ""
	if c.actor != nil {
		who = c.actor.name
	}
	if c.owner != nil {
		whose = " on what is " + c.owner.name + "'s"
	}
	return c.op.ID + " by " + who + whose
}

// verdict is what the table says of a cell.
type verdict int

const (
	unauthenticated verdict = iota // 401
	forbidden                      // 403: the role may not do this at all
	hidden                         // 404: not this one
	allowed                        // whatever the operation answers then
)

func (c cell) verdict() verdict {
	if c.rule.Public {
		return allowed
	}
	if c.actor == nil {
		return unauthenticated
	}
	reach := reachOf(c.rule, c.actor.role)
	switch {
	case reach == access.None, c.actor.key && !c.rule.Keys:
		return forbidden
	case c.owner == nil:
		return allowed
	case c.probe.within != nil && !c.probe.within(c.actor, c.owner):
		return hidden
	case !sees(reach, c.actor, c.owner):
		return hidden
	case c.probe.forbids != nil && c.probe.forbids(c.actor, c.owner):
		return forbidden
	default:
		return allowed
	}
}

func reachOf(r access.Rule, role access.Role) access.Reach {
	return map[access.Role]access.Reach{access.GlobalAdmin: r.Global, access.OrgManager: r.Manager, access.User: r.User}[role]
}

func sees(reach access.Reach, actor, owner *person) bool {
	switch reach {
	case access.Everything:
		return true
	case access.Organization:
		return actor.org != "" && actor.org == owner.org
	case access.Own:
		return actor == owner
	default:
		return false
	}
}

// strangers are the markers that an answer to the actor must not hold.
func (c *city) strangers(actor *person) []string {
	var out []string
	for _, p := range c.people[1:] {
		widest := map[access.Role]access.Reach{access.GlobalAdmin: access.Everything, access.OrgManager: access.Organization, access.User: access.Own}
		if actor == nil || !sees(widest[actor.role], actor, p) {
			out = append(out, p.name)
		}
	}
	for org := range c.orgs {
		if actor == nil || actor.role != access.GlobalAdmin && actor.org != org {
			out = append(out, "qz-organization-"+org)
		}
	}
	return out
}

// leaks names the first foreign marker in an answer.
func (c *city) leaks(one cell, raw string) string {
	for _, marker := range c.strangers(one.actor) {
		if marker == "qz-chief" && one.probe.names {
			continue
		}
		for rest := raw; ; {
			at := strings.Index(rest, marker)
			if at < 0 {
				break
			}
			if rest = rest[at+len(marker):]; !continues(rest) {
				return marker + " in …" + raw[max(0, len(raw)-len(rest)-200):len(raw)-len(rest)]
			}
		}
	}
	return ""
}

// continues tells that a marker was only the start of a longer name.
func continues(rest string) bool {
	return rest != "" && (rest[0] == '-' || rest[0] >= 'a' && rest[0] <= 'z')
}

// cells are the whole matrix, sorted by operation.
func (c *city) cells(t *testing.T) []cell {
	t.Helper()
	contract, err := apitest.Load()
	if err != nil {
		t.Fatal(err)
	}
	table, operations := access.Table(), contract.Operations()
	var out []cell
	for id, op := range operations {
		rule, inTable := table[access.Operation(id)]
		probe, known := probes[access.Operation(id)]
		if !inTable || !known || probe.answers == 0 {
			t.Fatalf("%s: row in the role table %v, probe in this test %v, its answer %d; it needs them all", id, inTable, known, probe.answers)
		}
		for _, actor := range c.actors() {
			owners := []*person{nil}
			if probe.target {
				owners = c.people[1:]
			}
			for _, owner := range owners {
				out = append(out, cell{op, rule, probe, actor, owner})
			}
		}
	}
	for id := range table {
		if _, ok := operations[string(id)]; !ok {
			t.Errorf("%s has a row, but is no operation of the contract", id)
		}
	}
	slices.SortStableFunc(out, func(a, b cell) int { return strings.Compare(a.op.ID, b.op.ID) })
	return out
}

func (c *city) actors() []*person {
	return append([]*person{nil, c.person("qz-chief"), c.person("qz-a-manager"), c.person("qz-a-user")}, c.keys...)
}

// try sends the request of a cell. With fresh it makes what the request uses
// up first.
func (c *city) try(t *testing.T, one cell, fresh bool) server.Response {
	t.Helper()
	values := map[string]string{}
	if one.probe.params != nil {
		values = one.probe.params(t, c, one.owner, fresh)
	}
	path := one.op.Path
	for name, value := range values {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	if strings.Contains(path, "{") {
		t.Fatalf("%s: the probe gives no value for a parameter of %s", one.op.ID, path)
	}
	var body any
	if one.probe.body != nil {
		body = one.probe.body(t, c, one.actor, one.owner)
	}
	token := ""
	if one.actor != nil {
		token = one.actor.token
	}
	return c.Call(t, one.op.Method, path+one.probe.query, token, body)
}

// TestRoleMatrix tries every operation of the contract as every role, by
// session and by API key, on the things of everybody. First all that is to
// be refused: the answer is the right one, tells nothing of others, and
// nothing changes. Then all that is allowed: it is done, and shows
// nothing of those whom the actor may not see.
func TestRoleMatrix(t *testing.T) {
	t.Parallel()
	c := newCity(t)
	cells := c.cells(t)
	counts := map[verdict]int{}
	before := c.snapshot(t)
	for _, one := range cells {
		want := one.verdict()
		counts[want]++
		if want == allowed {
			continue
		}
		res := c.try(t, one, false)
		status := map[verdict]int{unauthenticated: 401, forbidden: 403, hidden: 404}[want]
		if res.Status != status {
			t.Errorf("%s: %d %s, want %d", one, res.Status, res.Raw, status)
		}
		if leak := c.leaks(one, res.Raw); leak != "" {
			t.Errorf("%s: the refusal tells of %s", one, leak)
		}
	}
	if diff := cmp.Diff(before, c.snapshot(t)); diff != "" {
		t.Fatalf("a refused request changed something (-before +after):\n%s", diff)
	}
	for _, one := range cells {
		if one.verdict() != allowed {
			continue
		}
		c.awake(t, one.actor)
		res := c.try(t, one, true)
		if res.Status != one.probe.answers {
			t.Errorf("%s: %d %s, want %d", one, res.Status, res.Raw, one.probe.answers)
		}
		if leak := c.leaks(one, res.Raw); leak != "" {
			t.Errorf("%s: the answer tells of %s", one, leak)
		}
	}
	t.Logf("role matrix: %d operations, %d tries: %d without a session, %d forbidden, %d hidden, %d allowed",
		len(access.Table()), len(cells), counts[unauthenticated], counts[forbidden], counts[hidden], counts[allowed])
}

// awake signs an actor in again whose session an earlier try has ended.
func (c *city) awake(t *testing.T, actor *person) {
	t.Helper()
	if actor == nil || actor.key {
		return
	}
	if res := c.Call(t, "GET", "/api/auth/me", actor.token, nil); res.Status != 200 {
		c.signIn(t, actor)
	}
}
