package flow_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

const chosenPIN = "739164"

// Firmware with and without metadata: the old one tells neither whether
// factory values are in use nor how many tries the PUK has left.
const (
	current = "5.4.3"
	old     = "5.2.4"
)

// scenario is a flow with what it starts from and what it leaves.
type scenario struct {
	firmware string
	enrolled bool     // whether the token is, before it begins
	slot     bool     // whether it is about slot 9a
	uncut    []string // layers that another scenario cuts in the same steps
	run      func(ctx context.Context, o flow.Options) (flow.Result, error)
	again    func(ctx context.Context, o flow.Options) (flow.Result, error) // what comes after a cut; nil: run
	check    func(t *testing.T, w *world, before, after state)
}

// state is what a token holds before or after a flow.
type state struct {
	pin         string
	certificate string
}

// sameSteps: a chosen PIN takes the same way through vault and card, and a
// renewal through those of another firmware.
var sameSteps = []string{"card", "vault"}

// vaultAlike: what the vault is asked is the same as in the plain renewal.
var vaultAlike = []string{"vault"}

func renew(ctx context.Context, o flow.Options) (flow.Result, error) {
	return flow.Renew(ctx, o, false)
}

var scenarios = map[string]scenario{
	"enroll": {current, false, true, nil, flow.Enroll, nil, func(*testing.T, *world, state, state) {}},
	"change-pin": {current, true, false, nil, func(ctx context.Context, o flow.Options) (flow.Result, error) {
		return flow.ChangePIN(ctx, o, secret.String{})
	}, nil, pinChanged},
	"change-pin, chosen": {current, true, false, sameSteps, func(ctx context.Context, o flow.Options) (flow.Result, error) {
		return flow.ChangePIN(ctx, o, secret.New(chosenPIN))
	}, nil, pinChosen},
	"unblock": {current, true, false, nil, func(ctx context.Context, o flow.Options) (flow.Result, error) {
		return flow.Unblock(ctx, o, secret.String{})
	}, nil, pinChanged},
	"unblock, chosen": {current, true, false, sameSteps, func(ctx context.Context, o flow.Options) (flow.Result, error) {
		return flow.Unblock(ctx, o, secret.New(chosenPIN))
	}, nil, pinChosen},
	"renew": {current, true, true, nil, renew, nil, func(t *testing.T, _ *world, before, after state) {
		if before.certificate == after.certificate {
			t.Error("the certificate is still the former one")
		}
	}},
	// Nobody has to know that it was a renewal: whatever it left, an enrolment
	// ends with a certificate for the key that is there.
	"renew, then enroll":               {current, true, true, vaultAlike, renew, flow.Enroll, func(*testing.T, *world, state, state) {}},
	"renew, then enroll, firmware 5.2": {old, true, true, sameSteps, renew, flow.Enroll, func(*testing.T, *world, state, state) {}},
	"enroll, firmware 5.2":             {old, false, true, nil, flow.Enroll, nil, func(*testing.T, *world, state, state) {}},
	"change-pin, firmware 5.2": {old, true, false, nil, func(ctx context.Context, o flow.Options) (flow.Result, error) {
		return flow.ChangePIN(ctx, o, secret.String{})
	}, nil, pinChanged},
}

func pinChanged(t *testing.T, _ *world, before, after state) {
	if before.pin == after.pin {
		t.Error("the PIN is still the former one")
	}
}

func pinChosen(t *testing.T, _ *world, _, after state) {
	if after.pin != chosenPIN {
		t.Error("the PIN is not the chosen one")
	}
}

// cut is one way to break a flow.
type cut struct {
	layer string // backend, agent, card, vault
	at    int
	when  when
	name  string
}

// attempt runs a scenario with a cut and returns what came by in each layer.
func (w *world) attempt(t *testing.T, s scenario, serial string, c cut, power func(*powerCut)) (names map[string][]string, moments []int, err error) {
	gates := map[string]*gate{}
	for _, layer := range []string{"backend", "agent", "vault"} {
		gates[layer] = &gate{}
		if layer == c.layer {
			gates[layer].At, gates[layer].When = c.at, c.when
		}
	}
	p := &powerCut{at: -1}
	if c.layer == "card" {
		p.at = c.at
	}
	power(p)
	w.service.watchVault(t, serial, gates["vault"])
	o := w.careful(0, serial)
	o.Backend, o.Agent = cutBackend{o.Backend, gates["backend"]}, cutAgent{o.Agent, gates["agent"]}
	_, err = s.run(t.Context(), o)
	gates["vault"] = w.service.vaultGate(t, serial)
	w.service.watchVault(t, serial, &gate{})
	names = map[string][]string{"card": p.moments}
	for layer, g := range gates {
		names[layer] = g.Names
	}
	return names, p.worthwhile(), err
}

// start makes a token in the state that a scenario begins with.
func (w *world) start(t *testing.T, s scenario) (serial string, set func(*powerCut), on func(), before state) {
	t.Helper()
	card, serial := w.token(t, s.firmware)
	if s.enrolled {
		before = w.handOver(t, serial, s)
	}
	on = func() { card.SetFault(nil); card.PowerOn() }
	return serial, func(p *powerCut) { card.SetFault(p.hook) }, on, before
}

// cuts lists every way to break a flow, from an attempt that nobody broke.
func cuts(names map[string][]string, power []int) []cut {
	var list []cut
	for _, layer := range []string{"backend", "agent", "vault"} {
		for i, name := range names[layer] {
			list = append(list, cut{layer, i, before, name})
			if !reading[name] {
				list = append(list, cut{layer, i, after, name})
			}
		}
	}
	for _, i := range power {
		if names["card"] == nil {
			break
		}
		list = append(list, cut{"card", i, before, names["card"][i]})
	}
	return list
}

// reading are the interactions that change nothing anywhere: to lose their
// answer is the same as to lose them.
var reading = map[string]bool{
	"device": true, "readiness": true, "certificates": true, "get": true,
	"well-known": true, "pubkey": true, "system": true, "info": true, "defaults": true,
}

// TestNeverBricked breaks every flow at every interaction, once before it and
// once after it with the answer lost, and lets somebody else, in another
// session and at another workstation, run the flow again.
func TestNeverBricked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	began := time.Now()
	t.Run("flows", func(t *testing.T) {
		for name, s := range scenarios {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				serial, set, on, was := w.start(t, s)
				names, power, err := w.attempt(t, s, serial, cut{}, set)
				if err != nil {
					t.Fatalf("without a cut: %v", err)
				}
				on()
				w.finished(t, s, serial, was)
				for _, layer := range s.uncut {
					names[layer] = nil
				}
				list := cuts(names, power)
				t.Logf("%d interactions to cut", len(list))
				for _, c := range list {
					t.Run(fmt.Sprintf("%s/%d %s %s", c.layer, c.at, c.name, c.when), func(t *testing.T) {
						t.Parallel()
						w.breakAndResume(t, s, c)
					})
				}
			})
		}
	})
	t.Logf("took %v", time.Since(began).Round(time.Second))
}

// careful lets factory values be tried, but nothing be overwritten: what an
// attempt leaves behind is its successor's to take up.
func (w *world) careful(n int, serial string) flow.Options {
	o := w.at(n, serial)
	o.Confirm = func(_ context.Context, q flow.Question, _ string) (bool, error) { return q != flow.AskOverwrite, nil }
	return o
}

func (w *world) breakAndResume(t *testing.T, s scenario, c cut) {
	serial, set, on, was := w.start(t, s)
	_, _, first := w.attempt(t, s, serial, c, set)
	// A power cut after the last command is noticed by nobody.
	if first == nil && c.layer != "card" {
		t.Fatal("nobody noticed the cut")
	}
	on()
	again := s.run
	if s.again != nil {
		again = s.again
	}
	if _, err := again(t.Context(), w.careful(1, serial)); err != nil {
		t.Fatalf("after %v, running it again: %v", first, err)
	}
	w.finished(t, s, serial, was)
}

func (w *world) finished(t *testing.T, s scenario, serial string, was state) {
	t.Helper()
	now := state{pin: w.checkSecrets(t, serial).current[piv.PIN].Reveal()}
	if s.slot {
		now.certificate = w.checkSlot(t, serial)
	}
	s.check(t, w, was, now)
}
