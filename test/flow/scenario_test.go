package flow_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// scenario is an entry of scenarios.json: a token's initial state, what is done to it,
// and the expected result.
type scenario struct {
	Name  string `json:"name"`
	Why   string `json:"why"`
	Start start  `json:"start"`
	Steps []step `json:"steps"`
	// Cut names the layers in which every interaction is cut in turn: line, vault,
	// card. Then somebody else, in another session and at another workstation, performs
	// the steps Again (absent: the same).
	Cut   []string `json:"cut"`
	Again []step   `json:"again"`
	// Ends is what holds at the end: "whole" (secrets and slot 9a), "secrets", or only
	// what the steps expect.
	Ends string `json:"ends"`
}

// start is a token's initial state.
type start struct {
	Firmware string `json:"firmware"` // empty: one that reports everything
	// Is: "" is new, "certified" has the vault's secrets and a certificate in 9a,
	// "bare" has only the secrets.
	Is       string `json:"is"`
	Former   int    `json:"former"`   // PIN changes since
	Nobodys  bool   `json:"nobodys"`  // no owner
	Stubborn bool   `json:"stubborn"` // refuses simple PINs
	OwnKeys  bool   `json:"own_keys"` // not shared with other cards: may be compromised
	Stranger bool   `json:"stranger"` // its attestations end at an untrusted root
}

// attempt is one run of a flow, as sent to a front end.
type attempt struct {
	Flow    string `json:"flow"`
	Serial  string `json:"serial"`
	Slot    string `json:"slot,omitempty"`
	Chosen  string `json:"chosen,omitempty"`   // the PIN that the person wants
	Typed   string `json:"typed,omitempty"`    // the card's PIN according to the person
	KeepKey *bool  `json:"keep_key,omitempty"` // nil: as the slot demands
	Reason  string `json:"reason,omitempty"`
	// Answer: "yes" and "no" to every question, "nobody" means that no one can be
	// asked; empty is yes, except that nothing is overwritten: the next attempt
	// continues with what this one left.
	Answer string `json:"answer,omitempty"`
	Cancel string `json:"cancel,omitempty"` // the step before which the person cancels
	Cut    cut    `json:"cut"`
	Pause  string `json:"pause,omitempty"` // the call after which somebody else intervenes
}

// report is the result of an attempt.
type report struct {
	// Outcome: "done", an outcome's code, "cut", "cancelled", or "problem" and the code
	// of a refusal.
	Outcome     string   `json:"outcome"`
	Detail      string   `json:"detail"` // for readers of the test's output
	Ways        int      `json:"ways"`   // how many ways out an outcome has
	Reasons     []string `json:"reasons"`
	RetriesLeft *int     `json:"retries_left"`
	Resumed     bool     `json:"resumed"`
	Unchanged   bool     `json:"unchanged"`
	Certificate string   `json:"certificate"` // its serial number
	Asked       []string `json:"asked"`
	Calls       []string `json:"calls"`
	Changes     []bool   `json:"changes"` // of Calls
}

// step is an attempt with its expected result, an action of somebody else, or a check
// of the state.
type step struct {
	attempt
	By        string   `json:"by"` // "", or "admin"
	Times     int      `json:"times"`
	Overtaken []step   `json:"overtaken"` // what somebody else does right after the secrets were read
	Outcome   []string `json:"outcome"`   // one of these; absent: done
	Told      told     `json:"told"`

	Card   *cardAction `json:"card"`
	Server string      `json:"server"` // "reset", "revoke", "rotation", "rotation taken"
	Expect *expected   `json:"expect"`
}

// told is what an attempt must report; absent members are not checked.
type told struct {
	Resumed     *bool    `json:"resumed"`
	Unchanged   *bool    `json:"unchanged"`
	RetriesLeft *int     `json:"retries_left"`
	Reasons     []string `json:"reasons"`
	Asked       []string `json:"asked"`
	Calls       []string `json:"calls"`
	OnlyReads   bool     `json:"only_reads"` // only reads of the card, and the agent's registration
}

// cardDeed is a change of a card outside Keyward. A value is digits, "record" (the
// vault's), or "first" (the vault's at the scenario's start).
type cardAction struct {
	PIN   string         `json:"pin"`
	PUK   string         `json:"puk"`
	From  string         `json:"from"`  // its current value; empty: record
	Tries map[string]int `json:"tries"` // tries left after wrong ones
	Reset bool           `json:"reset"`
	// Protect: another program stores the management key under the PIN.
	Protect bool   `json:"protect"`
	Power   string `json:"power"` // "off", "on"
	// Slot stores something in 9a: "foreign" somebody else's certificate with its key,
	// "imported" a key that was not generated on the card, "P-256" a key that was;
	// "imported into 9d" does so there.
	Slot string `json:"slot"`
}

// expected is the state; absent members are not checked. "same" and "changed" compare
// with the last Remember, or the scenario's start.
type expected struct {
	Tries       map[string]int `json:"tries"`
	PIN         string         `json:"pin"`  // the vault's and the card's: same, changed, or digits
	Blocked     string         `json:"held"` // only the card's
	Certificate string         `json:"certificate"`
	Key         string         `json:"key"`
	Records     *int           `json:"records"` // the total number of certificates
	Fruitless   *int           `json:"fruitless"`
	Empty       bool           `json:"empty"` // no key in 9a
	Remember    bool           `json:"remember"`
}

//go:embed scenarios.json
var scenarioFile []byte

func scenarios(t *testing.T) []scenario {
	t.Helper()
	var list []scenario
	d := json.NewDecoder(bytes.NewReader(scenarioFile))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		t.Fatal("scenarios.json:", err)
	}
	return list
}

// check compares the result of an attempt with the expectation.
func (s step) check(t *testing.T, got report) {
	t.Helper()
	want := s.Outcome
	if want == nil {
		want = []string{"done"}
	}
	if !slices.Contains(want, got.Outcome) {
		t.Fatalf("%s: %s (%s), want %q; calls %q", s.Flow, got.Outcome, got.Detail, want, got.Calls)
	}
	if isOutcome(got.Outcome) && got.Ways == 0 {
		t.Errorf("%s: no way out of %s", s.Flow, got.Outcome)
	}
	s.Told.check(t, s.Flow, got)
}

func (w told) check(t *testing.T, flow string, got report) {
	t.Helper()
	differs := func(what string, want, got any) {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", flow, what, diff)
		}
	}
	if w.Resumed != nil {
		differs("resumed", *w.Resumed, got.Resumed)
	}
	if w.Unchanged != nil {
		differs("unchanged", *w.Unchanged, got.Unchanged)
	}
	if w.RetriesLeft != nil {
		differs("retries_left", w.RetriesLeft, got.RetriesLeft)
	}
	if w.Reasons != nil {
		differs("reasons", w.Reasons, got.Reasons)
	}
	if w.Asked != nil && !slices.EqualFunc(w.Asked, got.Asked, sameQuestion) {
		t.Errorf("%s: asked %q, want %q", flow, got.Asked, w.Asked)
	}
	if w.Calls != nil {
		differs("calls", w.Calls, registration(got.Calls))
	}
	if w.OnlyReads {
		for i, name := range got.Calls {
			if got.Changes[i] && name != "probe" && name != "session/register-agent" {
				t.Errorf("%s: %s happened again", flow, name)
			}
		}
	}
}

// sameQuestion compares questions: the page asks "overwrite: foreign", while the
// command line's report only has the kind, since its question is text.
func sameQuestion(want, got string) bool {
	kind, _, _ := strings.Cut(want, ":")
	return got == want || got == kind
}

// isOutcome reports whether a report's outcome is a stop with ways out.
func isOutcome(outcome string) bool {
	return !slices.Contains([]string{"done", "cut", "cancelled"}, outcome) && !strings.Contains(outcome, " ")
}

// registration normalizes an agent's registration to one call: the page reads its
// session first, and does not repeat what is recorded.
func registration(calls []string) []string {
	const register = "session/register-agent"
	var list []string
	for _, name := range calls {
		if name == "session" {
			name = register
		}
		if name != register || !slices.Contains(list, register) {
			list = append(list, name)
		}
	}
	return list
}
