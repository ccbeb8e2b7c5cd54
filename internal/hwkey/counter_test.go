package hwkey

import "testing"

// TestAhead: which rows know a later document than there is. A version that
// counts nothing leaves no counter behind, and then the vault's numbers tell.
func TestAhead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		row, rowVersion, document int64
		version                   int
		want                      bool
	}{
		{0, 3, 0, 3, false}, {0, 3, 0, 1, false}, {0, 3, 2, 3, false}, // never seen, or accepted
		{5, 7, 5, 7, false}, {5, 7, 6, 8, false}, {5, 7, 6, 1, false}, // its path was made anew
		{5, 7, 4, 6, true}, {5, 7, 4, 9, true}, // an older vault, or somebody wrote a former document again
		{5, 7, 0, 8, false}, {5, 7, 0, 7, false}, {5, 7, 0, 6, true}, // an earlier version wrote it
	} {
		d := Device{SecretsCounter: c.row, SecretsVersion: int(c.rowVersion)}
		if got := d.ahead(State{Document: Document{Counter: c.document}, Version: c.version}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
