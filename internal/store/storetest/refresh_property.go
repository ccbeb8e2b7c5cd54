package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/test/must"
	"pgregory.net/rapid"
)

// refreshModel says what must be true of one family, whatever came before.
type refreshModel struct {
	f         *fixture
	first     signedIn
	at        time.Time
	hashes    []string        // every token ever given out
	used      map[string]bool // by the model, not by the store
	dead      map[string]bool
	successor map[string]string
	revoked   bool
	present   int64
}

// refreshProperty runs any order of refreshes (fresh, lost answer, reuse),
// sign-outs and clean-ups, and after each step compares store and model.
func refreshProperty(t *testing.T, f *fixture) {
	families := 0
	rapid.Check(t, func(rt *rapid.T) {
		families++
		m := &refreshModel{f: f, at: Now, used: map[string]bool{}, dead: map[string]bool{}, successor: map[string]string{}}
		m.first = f.signIn(t, f.alex)
		m.hashes, m.present = []string{m.first.token}, m.first.ID
		for step := range rapid.IntRange(1, 8).Draw(rt, "steps") {
			m.at = m.at.Add(time.Second)
			name := fmt.Sprintf("family %d token %d", families, step)
			switch rapid.SampledFrom([]string{"refresh", "refresh", "refresh", "session", "end"}).Draw(rt, "move") {
			case "refresh":
				m.refresh(rt, rapid.SampledFrom(m.hashes).Draw(rt, "token"), name, false)
			case "session":
				m.refresh(rt, rapid.SampledFrom(m.hashes).Draw(rt, "token"), name, true)
			case "end":
				must.OK(rt, f.EndSession(rt.Context(), m.present, m.at))
				m.revoked = true
			}
			m.compare(rt)
		}
	})
}

// refresh presents a token and decides as a service would; the model alone
// says what the decision is to be.
func (m *refreshModel) refresh(rt *rapid.T, hash, next string, begin bool) {
	reuse := m.dead[hash] || m.used[hash] && m.used[m.successor[hash]]
	s, err := m.f.Refresh(rt.Context(), hash, func(state session.RefreshState) session.RefreshDecision {
		if state.Token.Dead != m.dead[hash] || (state.Token.UsedAt != nil) != m.used[hash] {
			rt.Errorf("token %s: dead %v, used %v; want %v, %v", hash, state.Token.Dead, state.Token.UsedAt, m.dead[hash], m.used[hash])
		}
		switch {
		case m.revoked:
			return session.RefreshDecision{Refuse: fault.New(fault.TokenInvalid, "", "revoked")}
		case reuse:
			return session.RefreshDecision{Refuse: fault.New(fault.TokenInvalid, "", "reuse"), RevokeAll: true}
		}
		d := give(next, m.at)
		d.Replace = m.used[hash]
		if begin {
			s, _ := fresh(state.User.ID, m.at)
			d.NewSession = &s
		}
		return d
	})
	if m.revoked || reuse {
		if !fault.Is(err, fault.TokenInvalid) {
			rt.Fatalf("got %v, want a refusal", err)
		}
		m.revoked = true
		return
	}
	if err != nil {
		rt.Fatal(err)
	}
	if m.used[hash] {
		m.dead[m.successor[hash]] = true
	}
	m.used[hash], m.successor[hash] = true, next
	m.hashes = append(m.hashes, next)
	if begin == (s.ID == m.present) {
		rt.Errorf("session %d after %d, begun %v", s.ID, m.present, begin)
	}
	m.present = s.ID
}

// compare holds the store to the model: at most one token of the family can
// still be used first, and a revoked family's session is over.
func (m *refreshModel) compare(rt *rapid.T) {
	usable := 0
	for _, hash := range m.hashes {
		var unused bool
		_, err := m.f.Refresh(rt.Context(), hash, func(state session.RefreshState) session.RefreshDecision {
			unused = state.Token.UsedAt == nil && !state.Token.Dead
			if (state.Family.RevokedAt != nil) != m.revoked {
				rt.Errorf("family revoked at %v, want %v", state.Family.RevokedAt, m.revoked)
			}
			if state.Session == nil || state.Session.ID != m.present || state.Session.Active == m.revoked {
				rt.Errorf("session %+v, want %d, active %v", state.Session, m.present, !m.revoked)
			}
			return session.RefreshDecision{Refuse: errRefused}
		})
		if err == nil {
			rt.Error("a refusal answered a session")
		}
		if unused {
			usable++
		}
	}
	if usable != 1 {
		rt.Errorf("%d tokens of the family are unused and alive, want 1", usable)
	}
}
