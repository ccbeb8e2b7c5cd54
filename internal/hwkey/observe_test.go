package hwkey_test

import (
	"testing"

	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
)

// TestObservationOfFormerSecrets: a probe of candidates that have changed since says
// nothing about the card. It is refused if it would change anything; repeating what
// is already recorded is harmless.
func TestObservationOfFormerSecrets(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t, "10000", &w.alex)
	at := func() int {
		t.Helper()
		state, err := w.keys.Custody.Load(t.Context(), "10000")
		must(t, err)
		return state.Version
	}
	observe := func(matched custody.Kind, version int) error {
		_, err := w.keys.Observe(t.Context(), w.alex, scope(t, w.alex), "10000",
			hwkey.Observation{Field: piv.PIN, Matched: matched, Version: version})
		return err
	}
	read := at()
	must(t, observe(custody.NoMatch, read))
	now := at()
	if now != read+1 {
		t.Fatalf("version %d follows %d", now, read)
	}
	for _, matched := range []custody.Kind{custody.NoMatch, custody.Current, custody.Factory} {
		code(t, "a report of "+string(matched)+" about the former version", observe(matched, read), fault.SecretsChanged)
	}
	if at() != now {
		t.Error("a refused report was written")
	}
	must(t, observe(custody.Current, now))
	must(t, observe(custody.Current, now)) // its answer was lost
	must(t, observe(custody.NoMatch, 0))   // a client that does not send it
}
