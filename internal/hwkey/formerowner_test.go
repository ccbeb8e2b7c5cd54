package hwkey_test

import (
	"fmt"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
)

// TestLogOfAFormerOwner: the log finds by the details of the entries when somebody had a token.
func TestLogOfAFormerOwner(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t, "key-1", &w.alex)
	change := func(p hwkey.Patch) {
		t.Helper()
		_, err := w.keys.Update(t.Context(), w.manager, scope(t, w.manager), "key-1", p)
		must(t, err)
	}
	owned := func(by access.Actor) hwkey.Patch { id := &by.UserID; return hwkey.Patch{OwnerID: &id} }
	change(hwkey.Patch{Label: new("alex's")})
	change(owned(w.amy))
	change(hwkey.Patch{Label: new("amy's")})
	change(owned(w.alex))
	for _, c := range []struct {
		of   access.Actor
		want string
	}{
		{w.alex, "[hwkey.assigned hwkey.assigned hwkey.updated hwkey.registered]"},
		{w.amy, "[hwkey.assigned hwkey.updated hwkey.assigned]"},
	} {
		list, err := w.db.ListAudit(t.Context(), access.All(), audit.Filter{User: c.of.UserID, Action: "hwkey."}, page.Request{Limit: 9})
		must(t, err)
		got := []audit.Action{}
		for _, e := range list.Items {
			got = append(got, e.Action)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("of %s: %v, want %s", c.of.Username, got, c.want)
		}
	}
}
