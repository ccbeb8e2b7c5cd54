package hwkey_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
)

// told returns a person's notices about tokens, oldest first: the kind, and any of
// by, serial, status, reason and fields.
func (w *world) told(t *testing.T, who access.Actor) []string {
	t.Helper()
	list, err := w.db.ListNotices(t.Context(), who.UserID, notify.Filter{}, page.Request{Limit: 99})
	must(t, err)
	var out []string
	for _, n := range list.Items {
		if n.Kind == notify.AgentPaired {
			continue
		}
		if n.Message == "" {
			t.Errorf("%s has no words", n.Kind)
		}
		line := string(n.Kind)
		for _, name := range []string{"by", "serial", "slot", "status", "fields", "attested", "reason"} {
			if v := n.Params[name]; v != "" {
				line += " " + v
			}
		}
		out = append(out, line)
	}
	slices.Reverse(out)
	return out
}

// unblock makes the help desk's requests: the candidates, a rotation of the PIN, and
// its commit, with the PIN named or all that is left.
func (w *world) unblock(t *testing.T, a access.Actor, serial string, named ...piv.Field) {
	t.Helper()
	ctx, reach := t.Context(), scope(t, a)
	_, err := w.keys.Secrets(ctx, a, reach, serial, hwkey.ReleaseRequest{Fields: piv.Fields, Candidates: true, Reason: "ticket 4711"})
	must(t, err)
	open, err := w.keys.StartRotation(ctx, a, reach, serial, hwkey.RotationRequest{Fields: []piv.Field{piv.PIN}, Reason: "ticket 4711"})
	must(t, err)
	for range 2 { // the answer to the first was lost
		_, err = w.keys.SettleRotation(ctx, a, reach, serial, open.ID, named, custody.Pending)
		must(t, err)
	}
}

// TestTold: the owner learns once of what someone else did to the token, and is not
// told of their own actions.
func TestTold(t *testing.T) {
	t.Parallel()
	w := setup(t)
	update := func(a access.Actor, serial string, p hwkey.Patch) {
		t.Helper()
		_, err := w.keys.Update(t.Context(), a, scope(t, a), serial, p)
		must(t, err)
	}
	status := func(s hwkey.Status) hwkey.Patch { return hwkey.Patch{Status: &s} }
	expect := func(who access.Actor, from int, want ...string) {
		t.Helper()
		if got := w.told(t, who)[from:]; !slices.Equal(got, want) {
			t.Errorf("%s was told\n%s\nwant\n%s", who.Username, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}

	w.register(t, "key-1", &w.alex)
	w.unblock(t, w.alex, "key-1", piv.PIN)
	expect(w.alex, 0, "token_assigned manager key-1")

	w.unblock(t, w.desk, "key-1", piv.PIN)
	w.turn(2 * time.Hour)
	w.unblock(t, w.admin, "key-1")
	expect(w.alex, 1,
		"secrets_released desk key-1 management_key,puk,pin ticket 4711", "token_unblocked desk key-1 ticket 4711",
		"secrets_released admin key-1 management_key,puk,pin ticket 4711", "token_unblocked admin key-1 ticket 4711")

	w.desk.AuthenticatedAt, w.alex.AuthenticatedAt = w.now(), w.now()
	issued, err := w.certs.Sign(t.Context(), w.desk, scope(t, w.desk), "key-1", cert.SignRequest{CSR: csr(t, "alex"), Reason: "new card"})
	must(t, err)
	_, err = w.certs.Revoke(t.Context(), w.desk, scope(t, w.desk), issued.Certificate.SerialNumber, "superseded")
	must(t, err)
	_, err = w.certs.Sign(t.Context(), w.alex, scope(t, w.alex), "key-1", cert.SignRequest{CSR: csr(t, "alex")})
	must(t, err)
	update(w.desk, "key-1", status(hwkey.Suspended))
	update(w.desk, "key-1", status(hwkey.Assigned))
	_, err = w.keys.Reset(t.Context(), w.desk, scope(t, w.desk), "key-1", "broken")
	must(t, err)
	update(w.alex, "key-1", status(hwkey.Lost))
	expect(w.alex, 5,
		"certificate_issued desk key-1 9a false new card", "certificate_revoked desk key-1 9a superseded",
		"token_status desk key-1 suspended", "token_status desk key-1 assigned", "token_reset desk key-1 broken")

	w.register(t, "key-2", &w.alex)
	w.register(t, "key-3", nil)
	w.register(t, "key-4", &w.manager) // by the manager
	owner := &w.amy.UserID
	results, err := w.keys.Bulk(t.Context(), w.desk, scope(t, w.desk), []string{"key-2", "key-3"}, hwkey.Patch{OwnerID: &owner})
	must(t, err)
	for _, r := range results {
		must(t, r.Err)
	}
	expect(w.alex, 10, "token_assigned manager key-2", "token_taken desk key-2")
	got := w.told(t, w.amy)
	slices.Sort(got)
	if want := []string{"token_assigned desk key-2", "token_assigned desk key-3"}; !slices.Equal(got, want) {
		t.Errorf("amy was told %v, want %v", got, want)
	}
	nobody := (*int64)(nil)
	update(w.desk, "key-3", hwkey.Patch{OwnerID: &nobody})
	update(w.desk, "key-3", status(hwkey.Retired))
	if got := w.told(t, w.amy)[2:]; !slices.Equal(got, []string{"token_taken desk key-3"}) {
		t.Errorf("amy was told %v of a token that was taken", got)
	}
	for _, who := range []access.Actor{w.manager, w.desk, w.admin} {
		expect(who, 0)
	}
}

// TestImportTold: owners are notified of imported tokens, too.
func TestImportTold(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.load(t, w.manager, false, "serial,owner", "key-1,alex", "key-2,", "key-3,manager")
	if got := w.told(t, w.alex); !slices.Equal(got, []string{"token_assigned manager key-1"}) {
		t.Errorf("alex was told %v", got)
	}
	if got := w.told(t, w.manager); len(got) != 0 {
		t.Errorf("who imports was told %v", got)
	}
}
