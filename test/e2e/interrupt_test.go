//go:build exhaustive

package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// bench is a token at a workstation whose calls can be interrupted, on the
// way to the server and on the way to the agent.
type bench struct {
	*installation
	tokens      *tokens
	workstation *workstation
	server      *proxy
	agent       *proxy
	serial      string
}

func newBench(t *testing.T, serial string) *bench {
	t.Helper()
	w, v := newWatch(), plugIn(t, serial)
	b := &bench{installation: install(t, w, v.trusted(t)), tokens: v, serial: serial}
	b.workstation = agent(t, b.tokens, "127.0.0.1:0")
	b.server, b.agent = between(t, w, "server", b.base), between(t, w, "agent", b.workstation.base)
	b.station.server, b.station.agent, b.station.code = b.server.base, b.agent.base, b.workstation.code(t)
	b.register(t, serial)
	return b
}

// onAnswer hears of every call that was carried out, at either peer, one at a
// time. True loses the answer.
func (b *bench) onAnswer(f func(call string) bool) {
	var mu sync.Mutex
	for _, p := range []*proxy{b.server, b.agent} {
		p.onAnswer(func(call string) bool {
			mu.Lock()
			defer mu.Unlock()
			return f(call)
		})
	}
}

func (b *bench) calm() { b.server.onAnswer(nil); b.agent.onAnswer(nil) }

// settled demands that ykman opens the card with what the vault holds, that no
// rotation is open, and that none of the former values opens it.
func (b *bench) settled(t *testing.T, former ...held) held {
	t.Helper()
	if len(former) > 2 {
		t.Fatal("so many wrong values would block the card")
	}
	now := b.admin.release(b.watch, b.serial)
	for _, f := range fields {
		for _, old := range former {
			if old[f] != now[f] && b.tokens.opens(t, b.serial, f, old[f]) {
				t.Errorf("the card still takes a former %s", f)
			}
		}
		// The right value refills the tries that the former ones cost: two at
		// most, of three.
		if !b.tokens.opens(t, b.serial, f, now[f]) {
			t.Errorf("ykman does not open the card with the vault's %s", f)
		}
	}
	return now
}

// factory is what a blank card holds (Yubico, "PIV default values").
var factory = held{"pin": "123456", "puk": "12345678", "management_key": "010203040506070801020304050607080102030405060708"}

// killed runs a command again and again. Each run is killed at the first step, a
// call that may change something, that no run was killed at before: after it was
// carried out and before its answer arrives. So it is interrupted once at every
// step, and always goes on from what is there. It gives the calls. (test/flow
// kills at the calls that only read, too, where a run takes no second.)
func (b *bench) killed(t *testing.T, operation string) []string {
	t.Helper()
	var mu sync.Mutex
	var calls []string
	for {
		var p *running
		ready := make(chan struct{})
		b.onAnswer(func(call string) bool {
			<-ready
			mu.Lock()
			defer mu.Unlock()
			if strings.Contains(call, " GET ") || slices.Contains(calls, call) {
				return false
			}
			calls = append(calls, call)
			p.Kill()
			return true
		})
		p = b.station.token(t, operation, b.serial, "jdoe", userPassword)
		close(ready)
		if code := p.Wait(t); code == 0 {
			b.calm()
			return calls
		} else if code > 0 {
			t.Fatalf("%s after %d interruptions: exit code %d\n%s%s", operation, len(calls), code, p.Log.String(), p.Out.String())
		}
	}
}

// demand fails when one of the calls was not among those interrupted.
func demand(t *testing.T, calls []string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !slices.Contains(calls, w) {
			t.Errorf("no run was interrupted at %q; they were:\n%q", w, calls)
		}
	}
}

// TestKilledAtEveryStep kills the command line once at each step of an
// enrolment and of a PIN change, with the real ykman at the card. A run that
// goes wrong may be healed by the next one; TestAnswersLost, with a single
// interruption, leaves it no time for that.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	b := newBench(t, "20260031")
	calls := b.killed(t, "enroll")
	demand(t, calls,
		"agent POST /piv/rotate-management-key", "agent POST /piv/set-puk", "agent POST /piv/set-pin",
		"agent POST /piv/generate-csr", "agent POST /piv/import-certificate",
		"server POST /api/hwkey/*/sign-csr", "server POST /api/certificates/*/installed", "server POST /api/hwkey/*/enrolled")
	t.Logf("enroll was killed at %d calls", len(calls))
	enrolled := b.settled(t, factory)
	device := b.admin.must(http.StatusOK, http.MethodGet, "/api/hwkey/"+b.serial, nil)
	if device["status"] != "active" || device["enrolled_at"] == nil {
		t.Errorf("the token is %v, enrolled at %v", device["status"], device["enrolled_at"])
	}
	b.oneLiveCertificate(t)

	calls = b.killed(t, "change-pin")
	t.Logf("change-pin was killed at %d calls", len(calls))
	demand(t, calls, "agent POST /piv/set-pin", "server POST /api/hwkey/*/rotations", "server POST /api/hwkey/*/rotations/*/commit")
	if changed := b.settled(t, factory, enrolled); changed["pin"] == enrolled["pin"] {
		t.Error("the PIN is the same as before")
	}
}

// oneLiveCertificate demands that interruptions left no second one behind, and
// cost no key its attestation.
func (b *bench) oneLiveCertificate(t *testing.T) {
	t.Helper()
	live := 0
	for _, c := range b.admin.must(http.StatusOK, http.MethodGet, "/api/hwkey/"+b.serial+"/certificates", nil)["items"].([]any) {
		if c.(m)["attested"] != true {
			t.Errorf("certificate %v is for a key without attestation", c.(m)["serial_number"])
		}
		if c.(m)["status"] == "issued" && c.(m)["installed_at"] != nil {
			live++
		} else if c.(m)["status"] == "issued" {
			t.Errorf("certificate %v was issued and never installed", c.(m)["serial_number"])
		}
	}
	if live != 1 {
		t.Errorf("%d certificates are live, want 1", live)
	}
}

// outage is a program that dies at the moment when an answer is lost, and
// comes back after the command has given up.
type outage struct {
	die, back func()
}

// lost runs a command that gets no answer to a call, the first time that it
// makes it. It either finishes nevertheless, where a call may be repeated, or
// fails, and then one run more must finish.
func (b *bench) lost(t *testing.T, operation, at string, o outage) {
	t.Helper()
	hit := false
	b.onAnswer(func(call string) bool {
		if hit || call != at {
			return false
		}
		hit = true
		if o.die != nil {
			o.die()
		}
		return true
	})
	p := b.station.token(t, operation, b.serial, "jdoe", userPassword)
	code := p.Wait(t)
	b.calm()
	if o.back != nil {
		o.back()
	}
	if !hit || code < 0 || code > 1 || p.Out.String() == "" {
		t.Fatalf("%s with the answer to %q lost: exit code %d, interrupted: %v\n%s%s", operation, at, code, hit, p.Log.String(), p.Out.String())
	}
	if code == 1 {
		b.token(t, operation, b.serial, "jdoe")
	}
}

// reset makes the card blank again, in the order that the contract gives:
// first at the server, then at the card.
func (b *bench) reset(t *testing.T) {
	t.Helper()
	b.admin.must(http.StatusOK, http.MethodPost, "/api/hwkey/"+b.serial+"/reset", m{"reason": "the next case"})
	status, _, out, err := send(b.workstation.base, http.MethodPost, "/piv/reset", "", m{"serial": b.serial, "confirm": b.serial})
	if err != nil || status != http.StatusOK {
		t.Fatalf("reset: %d %v %v", status, out, err)
	}
}

// TestAnswersLost loses the answer to each change of the card in turn, on a
// blank card, and finishes with one run more. Once the agent dies with the
// answer, and its successor has a key that the session does not know; once the
// server does.
func TestAnswersLost(t *testing.T) {
	t.Parallel()
	b := newBench(t, "20260032")
	former := factory
	for n, call := range []string{"rotate-management-key", "set-puk", "set-pin", "generate-csr", "import-certificate"} {
		if n > 0 {
			b.reset(t)
		}
		b.lost(t, "enroll", "agent POST /piv/"+call, map[string]outage{
			"set-puk":      {func() { b.workstation.Kill() }, func() { b.workstation = b.workstation.again(t) }},
			"generate-csr": {func() { b.installation.Kill() }, func() { b.installation.server = b.again(t) }},
		}[call])
		former = b.settled(t, former, factory)
		b.oneLiveCertificate(t)
		if t.Failed() {
			t.Fatalf("after %q", call)
		}
	}
	for _, at := range []string{"agent POST /piv/set-pin", "server POST /api/hwkey/*/rotations",
		"server POST /api/hwkey/*/rotations/*/commit"} {
		b.lost(t, "change-pin", at, outage{})
		now := b.settled(t, former)
		if now["pin"] == former["pin"] {
			t.Errorf("%s: the PIN is the same as before", at)
		}
		former = now
	}
}
