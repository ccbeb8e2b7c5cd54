package hwkey

import "testing"

// TestAhead: which rows know a later document than there is.
func TestAhead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row, document int64
		want          bool
	}{
		{0, 0, false}, {0, 2, false}, // never seen, or accepted
		{5, 5, false}, {5, 6, false},
		{5, 4, true}, {5, 0, true}, // an older vault, or somebody wrote a former document again, or destroyed it
	} {
		if got := (Device{SecretsCounter: c.row}).ahead(State{Document: Document{Counter: c.document}}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
