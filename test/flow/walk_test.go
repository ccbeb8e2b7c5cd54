package flow_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/test/tier"
)

// walks is how many tokens are led astray, six flows each.
var walks = tier.Of[uint64](2, 8)

// walk: whatever is killed or lost, and however often, no secret of the card is ever
// lost, and enrolment and renewal put all right.
func (w *world) walk(t *testing.T, f front) {
	t.Helper()
	flows := []attempt{
		{Flow: "enroll"}, {Flow: "renew"}, {Flow: "change_pin"}, {Flow: "change_pin", Chosen: "739164"},
		{Flow: "unblock"}, {Flow: "unblock", Chosen: "864203"},
	}
	for seed := range walks {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			next := rand.New(rand.NewPCG(seed, 0)) // #nosec G404 -- a seed repeats it
			tok := w.token(t, start{File: true})
			for range 6 {
				a := flows[next.IntN(len(flows))]
				a.Serial = tok.serial
				a.Cut = cut{At: next.IntN(24), When: []when{before, after, failed, lost}[next.IntN(4)]}
				got := f.run(t, "first", a, func() {})
				t.Logf("%s, cut at %d %s: %s %s", a.Flow, a.Cut.At, a.Cut.When, got.Outcome, got.Detail)
				w.onRecord(t, tok)
				if got.Outcome == "done" {
					w.look(t, tok, expected{PIN: w.state(t, tok.serial).pin})
				}
			}
			for _, flow := range []string{"enroll", "renew"} {
				step{}.check(t, f.run(t, "second", attempt{Flow: flow, Serial: tok.serial}, func() {}))
				w.checkSecrets(t, tok.serial)
				w.checkSlot(t, tok.serial)
			}
		})
	}
}

// onRecord proves that the vault knows what the card holds, by the card's own
// file: nobody has to try anything.
func (w *world) onRecord(t *testing.T, tok *token) {
	t.Helper()
	raw, err := os.ReadFile(tok.file)
	must(t, err)
	var held map[string]json.RawMessage
	must(t, json.Unmarshal(raw, &held))
	d := w.service.document(t, tok.serial)
	for _, f := range piv.Fields {
		var on struct {
			Value []byte `json:"value"`
		}
		must(t, json.Unmarshal(held[string(f)], &on))
		value := string(bytes.TrimRight(on.Value, "\xff"))
		if f == piv.ManagementKey {
			value = hex.EncodeToString(on.Value)
		}
		known := append([]string{d.Fields[f].Current, d.Fields[f].Pending}, d.Fields[f].Past...)
		if !slices.Contains(known, value) && (!d.Fields[f].Factory || value != f.Factory().Reveal()) {
			t.Fatalf("the card's %s is not on record", f)
		}
	}
}
