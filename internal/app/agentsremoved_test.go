package app_test

import (
	"fmt"
	"testing"
)

// TestRemovedAgentLosesItsKeys, in the sessions that have them, at once.
func TestRemovedAgentLosesItsKeys(t *testing.T) {
	t.Parallel()
	v := newVisitor(t, "a-user", nil)
	lost := newWorkstation(t, 1)
	if status, out := v.register(lost.registration("confirmed_code", lost.code())); status != 200 {
		t.Fatal(status, out)
	}
	v.must(200, "GET", "/api/hwkey/10000/secrets", v.token, nil)
	later := v.visit("a-user")
	path := later.pathOf(lost)
	v.must(404, "DELETE", path, v.tokens["b-user"], nil)
	v.must(404, "DELETE", path, v.tokens["admin"], nil)
	v.must(200, "GET", "/api/hwkey/10000/secrets", v.token, nil)
	later.must(204, "DELETE", path, later.token, nil)
	v.hasNoAgent("after the removal")
	later.must(404, "DELETE", path, later.token, nil)
	if status, out := v.register(lost.registration()); status != 409 || out["code"] != "agent_confirmation_required" {
		t.Errorf("the removed agent is taken again: %d %v", status, out)
	}
}

// pathOf returns the path for removing an agent.
func (v visitor) pathOf(agent workstation) string {
	v.t.Helper()
	for _, a := range v.must(200, "GET", "/api/auth/agents", v.token, nil)["items"].([]any) {
		if a := a.(map[string]any); a["code"] == agent.code() {
			return fmt.Sprint("/api/auth/agents/", a["id"])
		}
	}
	v.t.Fatal("there is no such agent")
	return ""
}

// TestNoFirstUseAfterTheLast: a rogue was the first to answer. The notified person
// removes it while the proof of identity is still recent, and the page looks for an
// agent at once: the rogue, or another one, answers again.
func TestNoFirstUseAfterTheLast(t *testing.T) {
	t.Parallel()
	v := newVisitor(t, "b-user", nil)
	rogue, ours := newWorkstation(t, 1), newWorkstation(t, 2)
	if status, out := v.register(rogue.registration()); status != 200 {
		t.Fatalf("at first use: %d %v", status, out)
	}
	for range 2 { // once more, after its code was compared
		v.must(204, "DELETE", v.pathOf(rogue), v.token, nil)
		for name, body := range map[string]map[string]any{
			"the same": rogue.registration(), "the same, restarted": rogue.restarted(3).registration(),
			"another":                       ours.registration(),
			"the same, with another's code": rogue.registration("confirmed_code", ours.code()),
		} {
			if status, out := v.register(body); status != 409 || out["code"] != "agent_confirmation_required" {
				t.Errorf("%s: %d %v", name, status, out)
			}
		}
		if out := v.must(200, "GET", fmt.Sprint("/api/session/", v.session), v.token, nil); out["agent_registered"] != false {
			t.Error("an agent is registered before anybody compared a code")
		}
		if status, out := v.register(rogue.registration("confirmed_code", rogue.code())); status != 200 {
			t.Fatalf("confirmed: %d %v", status, out)
		}
	}
}

// TestFirstUseOnce: of many concurrent first agents, in several sessions, only one
// counts as the first.
func TestFirstUseOnce(t *testing.T) {
	t.Parallel()
	v := newVisitor(t, "b-user", nil)
	visitors, rogues := []visitor{v, v.visit("b-user")}, make([]workstation, 10)
	for i := range rogues {
		rogues[i] = newWorkstation(t, int64(i))
	}
	counts := atOnce(len(rogues), func(i int) int {
		status, _ := visitors[i%2].register(rogues[i].registration())
		return status
	})
	if counts[200] != 1 || counts[409] != len(rogues)-1 {
		t.Errorf("%v, want one taken and the others to be confirmed", counts)
	}
}
