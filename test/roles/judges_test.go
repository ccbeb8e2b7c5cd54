package roles

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/test/server"
)

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// fill replaces {name} by the value known for a try: its people, parameters of the
// path, fields of the body or of the response.
func (d done) fill(text string) string {
	known := map[string]string{}
	if d.actor != nil {
		known["actor"], known["actor_session"] = d.actor.name, fmt.Sprint(d.actor.session)
	}
	if o := d.owner; o != nil {
		known["owner"], known["owner_id"], known["owner_cert"] = o.name, fmt.Sprint(o.id), o.cert
		known["owner_org"], known["owner_hook"], known["owner_delivery"] = o.org, fmt.Sprint(o.hook.id), fmt.Sprint(o.hook.delivery)
	}
	switch b := d.body.(type) {
	case server.CSV:
		known["imported"], _, _ = strings.Cut(strings.Split(string(b), "\n")[1], ",")
	case fields:
		if list, ok := b["serials"].([]string); ok {
			known["bulk"] = list[0]
		}
		if list, ok := b["ids"].([]json.Number); ok {
			known["enabled"] = list[0].String()
		}
		if name, ok := b["username"].(string); ok {
			known["username"] = name
		}
	}
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		name = strings.Trim(name, "{}")
		if v, ok := known[name]; ok {
			return v
		}
		if v, ok := d.params[name]; ok {
			return v
		}
		return fmt.Sprint(d.answer.Body[name])
	})
}

func every(all ...effect) effect {
	return func(t *testing.T, c *fixture, d done) string {
		for _, e := range all {
			if wrong := e(t, c, d); wrong != "" {
				return wrong
			}
		}
		return ""
	}
}

// at judges what a path afterwards shows the global admin.
func at(path string, e effect) effect {
	return func(t *testing.T, c *fixture, d done) string {
		d.seen = c.Call(t, "GET", d.fill(path), c.root().token, nil)
		return e(t, c, d)
	}
}

// field finds a field of a JSON object, nested ones by "outer.inner".
func field(body map[string]any, name string) any {
	outer, inner, nested := strings.Cut(name, ".")
	if within, ok := body[outer].(map[string]any); nested && ok {
		return field(within, inner)
	}
	return body[name]
}

// plain converts a value as JSON would.
func plain(v any) (out any) {
	raw, err := json.Marshal(v)
	if err != nil || json.Unmarshal(raw, &out) != nil {
		panic("no JSON")
	}
	return out
}

// tells requires fields with these values; texts may contain {names}.
func tells(want fields) effect {
	return func(_ *testing.T, _ *fixture, d done) string {
		for name, v := range want {
			got := field(d.seen.Body, name)
			if text, ok := v.(string); ok {
				v = d.fill(text)
				if _, number := got.(float64); number {
					got = fmt.Sprint(got)
				}
			}
			if diff := gocmp.Diff(plain(v), got); diff != "" {
				return fmt.Sprintf("%s (-want +got): %s of %s", name, diff, d.seen.Raw)
			}
		}
		return ""
	}
}

// has requires fields that are not empty.
func has(names ...string) effect {
	return func(_ *testing.T, _ *fixture, d done) string {
		for _, name := range names {
			if v := field(d.seen.Body, name); v == nil || v == "" {
				return name + " is empty: " + d.seen.Raw
			}
		}
		return ""
	}
}

func holds(text string) effect {
	return func(_ *testing.T, _ *fixture, d done) string {
		if !strings.Contains(d.seen.Raw, d.fill(text)) {
			return "no " + d.fill(text) + " in " + d.seen.Raw
		}
		return ""
	}
}

func lacks(text string) effect {
	return func(t *testing.T, c *fixture, d done) string {
		if holds(text)(t, c, d) == "" {
			return d.fill(text) + " in " + d.seen.Raw
		}
		return ""
	}
}

// stands requires that a path shows every field of the body.
func stands(path string) effect {
	return func(t *testing.T, c *fixture, d done) string {
		want := fields{}
		for name, v := range d.body.(fields) {
			if name != "password" && name != "revoke_certificates" {
				want[name] = v
			}
		}
		return at(path, tells(want))(t, c, d)
	}
}

func gone(path string) effect {
	return func(t *testing.T, c *fixture, d done) string {
		if res := c.Call(t, "GET", d.fill(path), c.root().token, nil); res.Status != 404 {
			return fmt.Sprint("it is still there: ", res.Status)
		}
		return ""
	}
}

// lists requires everybody within the actor's reach; the matrix checks in every
// response that nobody else is there.
func lists(_ *testing.T, c *fixture, d done) string {
	for _, p := range c.people[1:] {
		if sees(d.rule.reach[d.actor.role], d.actor, p) && !strings.Contains(d.seen.Raw, p.name) {
			return "without " + p.name + ": " + d.seen.Raw
		}
	}
	return ""
}

func listsOrganizations(_ *testing.T, c *fixture, d done) string {
	for name := range c.orgs {
		if (d.actor.role == globalAdmin || d.actor.org == name) && !strings.Contains(d.seen.Raw, "qz-organization-"+name) {
			return "without " + name + ": " + d.seen.Raw
		}
	}
	return ""
}

// permitted compares the permissions for the pages with the contract.
func permitted(_ *testing.T, _ *fixture, d done) string {
	var want []string
	for id, r := range table() {
		if reach := r.reach[d.actor.role]; !r.public && reach != none {
			want = append(want, id)
		}
	}
	var got []string
	for _, p := range d.seen.Body["permissions"].([]any) {
		got = append(got, p.(string))
	}
	slices.Sort(want)
	slices.Sort(got)
	return gocmp.Diff(want, got)
}

// logged requires that the newest entry of an action is the actor's, about the thing
// named in the path, or another.
func logged(action string, target ...string) effect {
	return func(t *testing.T, c *fixture, d done) string {
		items := c.Must(t, "GET", "/api/admin/audit?limit=1&action="+action, c.root().token, nil)["items"].([]any)
		if len(items) == 0 {
			return "there is no entry " + action
		}
		e := items[0].(map[string]any)
		name := d.actor.name
		if d.actor.key {
			name = "api-key:" + name
		}
		about := cmp.Or(d.params["serial"], d.params["serial_number"], d.params["id"])
		if len(target) > 0 {
			about = d.fill(target[0])
		}
		if e["actor"] != name || e["outcome"] != "success" || about != "" && fmt.Sprint(e["target_id"]) != about {
			return fmt.Sprintf("the newest entry %s, %v, is not of %s about %s", action, e, name, about)
		}
		return ""
	}
}
