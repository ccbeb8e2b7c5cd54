package account

import "testing"

func TestReserved(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"system": true, "System": true, "UNKNOWN": true, "unknown": true, "systems": false, "sys": false, "system@example.org": false, "": false,
	} {
		if Reserved(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
