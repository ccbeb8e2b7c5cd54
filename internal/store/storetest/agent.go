package storetest

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/test/must"
)

var agentCases = map[string]func(*testing.T, *fixture){
	"an agent is known by its identity":       agentKnown,
	"without one it is known by its key":      agentKeyKnown,
	"another agent in a session is told of":   agentReplaces,
	"a refused registration leaves nothing":   agentRefused,
	"of those at once one is the first":       agentFirst,
	"removing one clears its keys":            agentRemoved,
	"none is the first after the last":        agentLast,
	"keys are forgotten after 90 days":        agentKeysForgotten,
	"nobody removes another's":                agentOfAnother,
	"they are listed by person, newest first": agentList,
}

// key is a key that an identity vouches for.
func key(name, identity string, at time.Time) session.AgentKey {
	return session.AgentKey{PublicKey: name, Fingerprint: name + " fingerprint", MAC: name + " MAC", Identity: identity,
		Hostname: "host of " + name, At: at}
}

func (f *fixture) agents(t *testing.T, userID int64) []session.Agent {
	t.Helper()
	return must.Get(f.ListAgents(t.Context(), userID, page.Request{Limit: 50}))(t).Items
}

func agentKnown(t *testing.T, f *fixture) {
	s, later := f.signIn(t, f.alex), Now.Add(time.Minute)
	first := must.Get(f.register(t, s.ID, key("A", "ours", Now)))(t)
	equal(t, "at first", []bool{first.Known != nil, first.First, first.Replaces}, []bool{false, true, false})
	equal(t, "its session", first.Session.ID, s.ID)
	restarted := must.Get(f.register(t, f.signIn(t, f.alex).ID, key("B", "ours", later)))(t)
	equal(t, "known, restarted", restarted.Known.Fingerprint, "ours")
	second := must.Get(f.register(t, s.ID, key("C", "another", later)))(t)
	equal(t, "a second one", []bool{second.Known != nil, second.First}, []bool{false, false})
	again := must.Get(f.register(t, s.ID, key("C", "ours", later)))(t) // whatever else vouches for the key
	equal(t, "by its identity", again.Known.Fingerprint, "ours")
	hers := must.Get(f.register(t, f.signIn(t, f.bea).ID, key("A", "ours", Now)))(t)
	equal(t, "another person's", []bool{hers.Known != nil, hers.First}, []bool{false, true})
	list := f.agents(t, f.alex.ID)
	equal(t, "its row", list[len(list)-1], session.Agent{ID: list[len(list)-1].ID, UserID: f.alex.ID, Fingerprint: "ours",
		Hostname: "host of C", CreatedAt: Now, LastUsedAt: later})
}

func agentKeyKnown(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	alone := must.Get(f.register(t, s.ID, key("A", "", Now)))(t)
	equal(t, "at first", alone.Known == nil, true)
	equal(t, "again", must.Get(f.register(t, s.ID, key("A", "", Now)))(t).Known.Fingerprint, "A fingerprint")
	vouched := must.Get(f.register(t, s.ID, key("A", "ours", Now)))(t) // a known key says nothing of who vouches for it
	equal(t, "with an identity", []bool{vouched.Known != nil, vouched.First}, []bool{false, false})
	must.Get(f.register(t, s.ID, key("B", "ours", Now)))(t)
	equal(t, "a key of an identity, alone", must.Get(f.register(t, s.ID, key("B", "", Now)))(t).Known.Fingerprint, "ours")
	equal(t, "another person's", must.Get(f.register(t, f.signIn(t, f.bea).ID, key("B", "", Now)))(t).Known == nil, true)
}

func agentReplaces(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	for _, c := range []struct {
		key      session.AgentKey
		replaces bool
	}{
		{key("A", "ours", Now), false},
		{key("A", "ours", Now), false},
		{key("B", "ours", Now), false}, // the agent restarted
		{key("C", "another", Now), true},
		{key("D", "", Now), true},
		{key("D", "", Now), false},
		{key("B", "ours", Now), true},
	} {
		equal(t, c.key.PublicKey, must.Get(f.register(t, s.ID, c.key))(t).Replaces, c.replaces)
	}
	p := must.Get(f.ListNotices(t.Context(), f.alex.ID, notify.Filter{Unread: true}, page.Request{Limit: 9}))(t)
	equal(t, "told of", names(p.Items, func(n notify.Notice) string { return n.Message }), []string{"B", "D", "C"})
}

func agentRefused(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	f.seen = f.newest(t)
	err := f.RegisterAgent(t.Context(), s.ID, key("A", "ours", Now), func(session.AgentState) (session.AgentDecision, error) {
		return session.AgentDecision{Entries: []audit.Entry{entry("x.y", "")}},
			fault.New(fault.AgentConfirmationRequired, "", "Compare the code.")
	})
	refused(t, "refused", err, fault.AgentConfirmationRequired)
	equal(t, "its session", f.session(t, s.ID).AgentPublicKey, "")
	equal(t, "agents", len(f.agents(t, f.alex.ID)), 0)
	equal(t, "entries", f.logged(t), nil)
	never := func(session.AgentState) (session.AgentDecision, error) {
		t.Error("a decision was asked for")
		return session.AgentDecision{}, nil
	}
	refused(t, "expired", f.RegisterAgent(t.Context(), s.ID, key("A", "ours", s.ExpiresAt), never), fault.NotFound)
	must.OK(t, f.EndSession(t.Context(), s.ID, Now))
	refused(t, "ended", f.RegisterAgent(t.Context(), s.ID, key("A", "ours", Now), never), fault.NotFound)
}

// agentFirst: a first agent is accepted without a question only once, however many register at
// once, from several sessions.
func agentFirst(t *testing.T, f *fixture) {
	const count = 12
	var mu sync.Mutex
	var all sync.WaitGroup
	var first []string
	for i := range count {
		s, name := f.signIn(t, f.alex), string(rune('A'+i))
		all.Go(func() {
			err := f.RegisterAgent(t.Context(), s.ID, key(name, name, Now), func(state session.AgentState) (session.AgentDecision, error) {
				if !state.First {
					return session.AgentDecision{}, errRefused
				}
				return session.AgentDecision{}, nil
			})
			if mu.Lock(); err == nil {
				first = append(first, name)
			}
			mu.Unlock()
		})
	}
	all.Wait()
	equal(t, "taken", len(first), 1)
	equal(t, "paired", names(f.agents(t, f.alex.ID), func(a session.Agent) string { return a.Fingerprint }), first)
}

func agentRemoved(t *testing.T, f *fixture) {
	s, second, other, another := f.signIn(t, f.alex), f.signIn(t, f.alex), f.signIn(t, f.alex), f.signIn(t, f.bea)
	must.Get(f.register(t, s.ID, key("A", "ours", Now)))(t)
	must.Get(f.register(t, second.ID, key("A", "", Now)))(t) // the same key, alone
	must.Get(f.register(t, other.ID, key("B", "another", Now)))(t)
	must.Get(f.register(t, another.ID, key("A", "ours", Now)))(t)
	f.seen = f.newest(t)
	list := f.agents(t, f.alex.ID)
	ours := list[slices.IndexFunc(list, func(a session.Agent) bool { return a.Fingerprint == "ours" })]
	must.OK(t, f.RemoveAgent(t.Context(), f.alex.ID, ours.ID, func(gone session.Agent) audit.Entry {
		equal(t, "told", gone, ours)
		return entry(audit.SessionAgentRemoved, "agent")
	}))
	for name, c := range map[string]struct {
		id   int64
		want string
	}{"its session": {s.ID, ""}, "its key alone": {second.ID, ""}, "another agent's": {other.ID, "B"}, "another person's": {another.ID, "A"}} {
		got := f.session(t, c.id)
		equal(t, name, got.AgentPublicKey, c.want)
		equal(t, name+": fingerprint, MAC", []bool{got.AgentKeyFingerprint == "", got.AgentKeyMAC == ""}, []bool{c.want == "", c.want == ""})
		equal(t, name+": active", got.Active, true)
	}
	equal(t, "entries", len(f.logged(t)), 1)
	for name, k := range map[string]session.AgentKey{"by identity": key("A", "ours", Now), "by key": key("A", "", Now)} {
		err := f.RegisterAgent(t.Context(), s.ID, k, func(state session.AgentState) (session.AgentDecision, error) {
			equal(t, name+": known", state.Known == nil, true)
			return session.AgentDecision{}, errRefused
		})
		equal(t, name, errors.Is(err, errRefused), true)
	}
}

func (f *fixture) removeAgent(t *testing.T, a session.Agent) {
	t.Helper()
	must.OK(t, f.RemoveAgent(t.Context(), a.UserID, a.ID, func(session.Agent) audit.Entry {
		return entry(audit.SessionAgentRemoved, "agent")
	}))
}

// agentLast: a person without agents who had one before is asked about the next.
func agentLast(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	for i, k := range []session.AgentKey{key("A", "ours", Now), key("A", "ours", Now), key("B", "another", Now), key("C", "", Now)} {
		saw := must.Get(f.register(t, s.ID, k))(t)
		equal(t, k.PublicKey+": known, removed before", saw.Known == nil, true)
		equal(t, k.PublicKey+": first", saw.First, i == 0)
		f.removeAgent(t, f.agents(t, f.alex.ID)[0])
	}
	equal(t, "agents", len(f.agents(t, f.alex.ID)), 0)
}

// agentKeysForgotten: a key registered without its identity is known for 90 days, and while a live
// session has it.
func agentKeysForgotten(t *testing.T, f *fixture) {
	const day = 24 * time.Hour
	old := f.signIn(t, f.alex)
	must.Get(f.register(t, old.ID, key("A", "ours", Now)))(t)
	long, family := fresh(f.alex.ID, Now)
	long.ExpiresAt = Now.Add(365 * day)
	long = must.Get(f.BeginSession(t.Context(), long, family, session.RefreshToken{Hash: "long", CreatedAt: Now},
		entry(audit.SessionCreated, "session")))(t)
	must.Get(f.register(t, long.ID, key("B", "ours", Now)))(t)
	must.Get(f.register(t, f.signIn(t, f.bea).ID, key("A", "hers", Now)))(t)
	for _, c := range []struct {
		key   string
		after time.Duration
		known bool
	}{{"A", 90 * day, true}, {"A", 180 * day, true}, {"A", 270*day + time.Second, false}, {"B", 300 * day, true}} {
		at := Now.Add(c.after)
		err := f.RegisterAgent(t.Context(), f.signInAt(t, f.alex, at).ID, key(c.key, "", at),
			func(state session.AgentState) (session.AgentDecision, error) {
				equal(t, c.key+" after "+c.after.String(), state.Known != nil, c.known)
				if !c.known {
					return session.AgentDecision{}, errRefused
				}
				return session.AgentDecision{}, nil
			})
		equal(t, c.key+": taken", err == nil, c.known)
	}
	// Another person's keys are forgotten when that person registers one.
	at := Now.Add(91 * day)
	equal(t, "another person's", must.Get(f.register(t, f.signInAt(t, f.bea, at).ID, key("A", "", at)))(t).Known == nil, true)
}

func agentOfAnother(t *testing.T, f *fixture) {
	must.Get(f.register(t, f.signIn(t, f.alex).ID, key("A", "ours", Now)))(t)
	never := func(session.Agent) audit.Entry {
		t.Error("it was removed")
		return entry("x.y", "")
	}
	for _, id := range []int64{f.agents(t, f.alex.ID)[0].ID, 99999} {
		refused(t, "another's, or none", f.RemoveAgent(t.Context(), f.bea.ID, id, never), fault.NotFound)
	}
	equal(t, "agents", len(f.agents(t, f.alex.ID)), 1)
}

func agentList(t *testing.T, f *fixture) {
	s := f.signIn(t, f.alex)
	for _, name := range []string{"A", "B", "C"} {
		must.Get(f.register(t, s.ID, key(name, name, Now)))(t)
	}
	must.Get(f.register(t, f.signIn(t, f.bea).ID, key("D", "D", Now)))(t)
	print := func(a session.Agent) string { return a.Fingerprint }
	first := must.Get(f.ListAgents(t.Context(), f.alex.ID, page.Request{Limit: 2}))(t)
	equal(t, "newest first", names(first.Items, print), []string{"C", "B"})
	equal(t, "total", first.Total, 3)
	rest := must.Get(f.ListAgents(t.Context(), f.alex.ID, page.Request{Limit: 2, Before: first.Items[1].ID}))(t)
	equal(t, "the rest", names(rest.Items, print), []string{"A"})
}
