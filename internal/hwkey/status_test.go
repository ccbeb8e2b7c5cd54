package hwkey

import "testing"

// TestTransitions holds the table against the contract's words, "Hardware
// tokens and custody": active and suspended to and fro, any to lost, lost to
// suspended (found), any to retired, and to stock by a reset alone. That a
// suspended token goes back to where it was, assigned or active, the service
// decides.
func TestTransitions(t *testing.T) {
	t.Parallel()
	allowed := map[[2]Status]bool{
		{Active, Suspended}: true, {Assigned, Suspended}: true, {Suspended, Active}: true, {Suspended, Assigned}: true, {Lost, Suspended}: true,
	}
	for _, from := range Statuses {
		for _, to := range Statuses {
			want := allowed[[2]Status{from, to}] || to == Lost || to == Retired || from == to
			if got := from.CanBecome(to); got != want {
				t.Errorf("%s to %s: %v, want %v", from, to, got, want)
			}
		}
	}
	if Status("broken").Valid() || Status("").Valid() {
		t.Error("what is no status counts as one")
	}
}
