package flow_test

import "testing"

// performance is a running scenario.
type performance struct {
	world  *world
	front  front
	token  *token
	person string
	breach *breach  // nil: nothing breaks
	seen   *traffic // nil: not recorded
	again  bool     // whether this follows a breach
}

// steps performs steps, up to a breach that ends an attempt.
func (p *performance) steps(t *testing.T, list []step) {
	t.Helper()
	for n, s := range list {
		switch {
		case s.Flow != "":
			for range max(1, s.Times) {
				p.attempt(t, n, s)
			}
		case s.Card != nil:
			p.world.harm(t, p.token, *s.Card)
		case s.Server != "":
			p.world.serve(t, p.token, s.Server)
		case s.Expect != nil:
			p.world.look(t, p.token, *s.Expect)
		default:
			t.Fatalf("step %d says nothing", n)
		}
		if p.breach != nil && p.breach.step == n && !p.breach.survived {
			return
		}
		if p.seen != nil && len(*p.seen) == n {
			*p.seen = append(*p.seen, nil) // not an attempt: nothing to cut
		}
	}
}

// attempt runs a flow and compares the result with the expectation.
func (p *performance) attempt(t *testing.T, n int, s step) {
	t.Helper()
	a, person := s.attempt, p.person
	a.Serial = p.token.serial
	if s.By != "" {
		person = s.By
	}
	paused := func() {}
	if s.Overtaken != nil {
		a.Pause = "hwkey/secrets"
		paused = func() {
			other := performance{world: p.world, front: p.front, token: p.token, person: person}
			other.steps(t, s.Overtaken)
		}
	}
	broken := p.breach != nil && p.breach.step == n
	if broken && p.breach.layer == "line" {
		a.Cut = p.breach.cut
	}
	stop := p.watch(t, broken)
	got := p.front.run(t, person, a, paused)
	stop(got)
	switch {
	case !broken:
		if p.again || p.breach != nil && p.breach.survived {
			s.Told = told{} // it may differ after a breach
		}
		s.check(t, got)
	case p.breach.cut.When.lives():
		p.breach.survived = got.Outcome == "done"
		if !p.breach.survived && got.Outcome != "cut" {
			t.Fatalf("a call without an answer is taken for something else: %s (%s); calls %q", got.Outcome, got.Detail, got.Calls)
		}
	case got.Outcome == "done" && p.breach.layer != "card": // nobody notices a power cut after the last command
		t.Fatal("nobody noticed the cut")
	}
}

// watch intercepts the card's commands and the vault's operations during one attempt,
// where they can be cut.
func (p *performance) watch(t *testing.T, broken bool) (stop func(report)) {
	t.Helper()
	if p.seen == nil {
		return func(report) {}
	}
	if _, page := p.front.(*page); page { // it is only cut on the line
		return func(r report) {
			*p.seen = append(*p.seen, map[string]*gate{"line": {Names: r.Calls, Changes: r.Changes}})
		}
	}
	serial, card := p.token.serial, p.token.card
	vault, power := &gate{}, &gate{}
	if broken {
		if by := map[string]*gate{"vault": vault, "card": power}[p.breach.layer]; by != nil {
			by.Cut = p.breach.cut
		}
	}
	p.world.service.watchVault(t, serial, vault)
	card.SetFault(power.powerCut)
	return func(r report) {
		t.Helper()
		card.SetFault(nil)
		if power.Hit {
			card.PowerOn()
		}
		vault := p.world.service.vaultGate(t, serial)
		p.world.service.watchVault(t, serial, &gate{})
		*p.seen = append(*p.seen, map[string]*gate{"line": {Names: r.Calls, Changes: r.Changes}, "vault": vault, "card": power})
	}
}
