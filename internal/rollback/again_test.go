//go:build exhaustive

package rollback_test

import (
	"testing"

	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/test/must"
)

// TestPutBackTwice: an accepted copy is noticed when it is restored once more, even
// if it lacked only what was accepted then, and nothing was sealed in between.
// Otherwise it would undo what the acceptance did to accounts.
func TestPutBackTwice(t *testing.T) {
	t.Parallel()
	w := newWorldWithCopies(t)
	must.OK(t, w.guard().Start(t.Context()))
	must.OK(t, w.stop(t.Context()))
	former := w.database.copied()

	w.open()
	must.OK(t, w.guard().Start(t.Context()))
	must.Get(w.sign(t.Context(), w.servers[0]))(t)
	must.OK(t, w.servers[0].certs.Issuances.Flush(t.Context()))
	w.kill()
	for range 2 {
		w.database.put(former)
		w.open()
		must.OK(t, w.guard().Start(t.Context()))
		if sides := found(w.guard()); sides != "database " {
			t.Fatalf("older is %q", sides)
		}
		must.OK(t, w.guard().AcceptDatabase(t.Context(), rollback.By{}, rollback.Accounts{}))
		if sides := found(w.guard()); sides != "" {
			t.Fatalf("accepted, and older is %q", sides)
		}
		w.kill()
	}
}
