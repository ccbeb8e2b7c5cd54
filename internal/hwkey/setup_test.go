package hwkey_test

import (
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/settings"
)

// mailed lists the kinds of a person's mails, oldest first.
func (w *world) mailed(t *testing.T, who access.Actor) (kinds []string) {
	t.Helper()
	list, err := w.db.ListMail(t.Context(), mail.Filter{Q: who.Username}, page.Request{Limit: 99})
	must(t, err)
	for _, m := range list.Items {
		kinds = append(kinds, string(m.Kind))
	}
	slices.Reverse(kinds)
	return kinds
}

// TestSetUpMail: whoever's token someone else sets up gets one mail about it, with the PIN that is
// set at the end; whoever does it, none.
func TestSetUpMail(t *testing.T) {
	t.Parallel()
	w := setup(t)
	must(t, w.db.PutSetting(t.Context(), mail.SettingName, settings.Value{
		Text: `{"enabled":true,"host":"mail.example.org","from":"keyward@example.org","language":"en"}`, UpdatedAt: w.now(),
	}))
	setUp := func(a access.Actor, serial string) {
		t.Helper()
		ctx, reach := t.Context(), scope(t, a)
		_, err := w.keys.Secrets(ctx, a, reach, serial, hwkey.ReleaseRequest{Fields: piv.Fields, Candidates: true, Reason: "new card"})
		must(t, err)
		a.AuthenticatedAt = w.now()
		_, err = w.certs.Sign(ctx, a, reach, serial, cert.SignRequest{CSR: csr(t, "alex"), Reason: "new card"})
		must(t, err)
		for range 2 { // the answer to the first was lost
			_, err = w.keys.Enrolled(ctx, a, reach, serial, "5.7.1")
			must(t, err)
		}
	}
	w.register(t, "key-1", &w.alex)
	setUp(w.manager, "key-1")
	w.unblock(t, w.manager, "key-1")
	if got := w.mailed(t, w.alex); !slices.Equal(got, []string{"token_set_up"}) {
		t.Errorf("alex got %v", got)
	}
	w.register(t, "key-2", &w.alex)
	setUp(w.alex, "key-2")
	if got := w.mailed(t, w.alex)[1:]; !slices.Equal(got, []string{"token_assigned"}) {
		t.Errorf("of a token that alex set up: %v", got)
	}
	if got := w.mailed(t, w.manager); len(got) != 0 {
		t.Errorf("who set it up got %v", got)
	}
}
