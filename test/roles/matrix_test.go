package roles

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/httpapi/apitest"
)

// cell is one try: an operation, by somebody, on somebody's thing.
type cell struct {
	op     apitest.Operation
	rule   rule
	probe  probe
	effect effect
	actor  *person // nil: nobody is signed in
	owner  *person // nil: the operation names no thing
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

// verdict is what the table says about a cell.
type verdict int

const (
	unauthenticated verdict = iota // 401
	forbidden                      // 403: the role may not do this at all
	hidden                         // 404: not this one
	allowed                        // whatever the response is then
)

func (c cell) verdict() verdict {
	if c.rule.public {
		return allowed
	}
	if c.actor == nil {
		return unauthenticated
	}
	reach := c.rule.reach[c.actor.role]
	switch {
	case reach == none, c.actor.key && !c.rule.keys:
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

func sees(r reach, actor, owner *person) bool {
	switch r {
	case everything:
		return true
	case organization:
		return actor.org != "" && actor.org == owner.org
	case own:
		return actor == owner
	default:
		return false
	}
}

// widest is a role's widest view.
var widest = map[role]reach{globalAdmin: everything, orgManager: organization, user: own}

// strangers are the markers that a response to the actor must not contain.
func (c *fixture) strangers(actor *person) []string {
	var out []string
	for _, p := range c.people[1:] {
		if actor == nil || !sees(widest[actor.role], actor, p) {
			out = append(out, p.name)
		}
	}
	for org := range c.orgs {
		if actor == nil || actor.role != globalAdmin && actor.org != org {
			out = append(out, "qz-organization-"+org)
		}
	}
	return out
}

// leaks names the first foreign marker in a response.
func (c *fixture) leaks(one cell, raw string) string {
	for _, marker := range c.strangers(one.actor) {
		if marker == "qz-chief" && one.probe.names || marker == "qz-a-manager" && one.probe.acted {
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

// continues reports whether a marker was only the start of a longer name.
func continues(rest string) bool {
	return rest != "" && (rest[0] == '-' || rest[0] >= 'a' && rest[0] <= 'z')
}

// cells returns the whole matrix, sorted by operation.
func (c *fixture) cells(t *testing.T) []cell {
	t.Helper()
	api, err := apitest.Load()
	if err != nil {
		t.Fatal(err)
	}
	table, operations := table(), api.Operations()
	var out []cell
	for id, op := range operations {
		rule, inTable := table[id]
		probe, known := probes[id]
		effect, judged := effects[id]
		if !inTable || !known || probe.answers == 0 || !judged {
			t.Fatalf("%s: line of the contract %v, probe %v, its answer %d, effect %v; it needs them all", id, inTable, known, probe.answers, judged)
		}
		for _, actor := range c.actors() {
			owners := []*person{nil}
			if probe.target {
				owners = c.people[1:]
			}
			for _, owner := range owners {
				out = append(out, cell{op, rule, probe, effect, actor, owner})
			}
		}
	}
	for id := range table {
		if _, ok := operations[id]; !ok {
			t.Errorf("%s has a row, but is no operation of the contract", id)
		}
	}
	// Reads come first, while the lists are short.
	place := func(c cell) string { return fmt.Sprint(c.op.Method != http.MethodGet, c.op.ID) }
	slices.SortStableFunc(out, func(a, b cell) int { return strings.Compare(place(a), place(b)) })
	return out
}

func (c *fixture) actors() []*person {
	return append([]*person{nil, c.person("qz-chief"), c.person("qz-a-manager"), c.person("qz-a-user")}, c.keys...)
}

// try sends the request of a cell. With fresh it first creates what the request uses
// up.
func (c *fixture) try(t *testing.T, one cell, fresh bool) done {
	t.Helper()
	d, path := c.prepare(t, one, fresh)
	token := ""
	if one.actor != nil {
		token = one.actor.token
	}
	d.answer = c.Call(t, one.op.Method, path, token, d.body)
	d.seen = d.answer
	return d
}

// prepare creates what the request of a cell needs.
func (c *fixture) prepare(t *testing.T, one cell, fresh bool) (d done, path string) {
	t.Helper()
	d.cell = one
	if one.probe.params != nil {
		d.params = one.probe.params(t, c, one.owner, fresh)
	}
	path = one.op.Path
	for name, value := range d.params {
		path = strings.ReplaceAll(path, "{"+name+"}", value)
	}
	if strings.Contains(path, "{") {
		t.Fatalf("%s: the probe gives no value for a parameter of %s", one.op.ID, path)
	}
	if one.probe.body != nil {
		d.body = one.probe.body(t, c, one.actor, one.owner)
	}
	return d, path + one.probe.query
}

// TestRoleMatrix tries every operation of the contract as every role, by session and by
// API key, on everybody's things. First everything that must be refused: the response
// is the right one, reveals nothing about others, and nothing changes. Then everything
// that is allowed, reads before writes: it has its effect, and shows nothing of those
// whom the actor may not see.
func TestRoleMatrix(t *testing.T) {
	t.Parallel()
	c := newFixture(t)
	cells := c.cells(t)
	counts := map[verdict]int{}
	before := c.snapshot(t)
	for _, one := range cells {
		want := one.verdict()
		counts[want]++
		if want == allowed {
			continue
		}
		res := c.try(t, one, false).answer
		refusal := map[verdict]string{unauthenticated: "401 token_missing", forbidden: "403 permission_denied", hidden: "404 not_found"}[want]
		if got := fmt.Sprint(res.Status, " ", res.Body["code"]); got != refusal {
			t.Errorf("%s: %s, want %s", one, res.Raw, refusal)
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
		d := c.try(t, one, one.op.Method != http.MethodGet)
		res := d.answer
		if res.Status != one.probe.answers {
			t.Errorf("%s: %d %s, want %d", one, res.Status, res.Raw, one.probe.answers)
		}
		if leak := c.leaks(one, res.Raw); leak != "" {
			t.Errorf("%s: the answer tells of %s", one, leak)
		}
		if wrong := one.effect(t, c, d); wrong != "" {
			t.Errorf("%s: %s", one, wrong)
		}
	}
	t.Logf("role matrix: %d operations, %d tries: %d without a session, %d forbidden, %d hidden, %d allowed",
		len(table()), len(cells), counts[unauthenticated], counts[forbidden], counts[hidden], counts[allowed])
}

// awake signs in an actor again whose session an earlier try has ended.
func (c *fixture) awake(t *testing.T, actor *person) {
	t.Helper()
	if actor == nil || actor.key {
		return
	}
	if res := c.Call(t, "GET", "/api/auth/me", actor.token, nil); res.Status != 200 {
		c.signIn(t, actor)
	}
}
