package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/test/must"
)

var webhookCases = map[string]func(*testing.T, *fixture){
	"every field comes back":                 webhookFields,
	"scope":                                  webhookScope,
	"changes":                                webhookChanges,
	"a secret is changed by one at a time":   webhookSecret,
	"there is room for so many":              webhookRoom,
	"a deleted one is gone":                  webhookDeleted,
	"what came before is not for it":         webhookBegins,
	"deliveries: lists":                      deliveryLists,
	"deliveries: replay":                     deliveryReplay,
	"deliveries: removal of old ones":        deliveryRemoval,
	"fan-out moves all or nothing":           fanOutOnce,
	"fan-out after the log became shorter":   fanOutRewind,
	"fan-out by several at once":             raceFanOut,
	"claims: what, in which order":           claimOrder,
	"claims: the lease":                      claimLease,
	"claims: not of those that are off":      claimOff,
	"muted with its creator's rights":        webhookCreator,
	"claims: so many of an organization":     claimShare,
	"claims: an outcome that comes too late": claimLate,
	"claims by several at once":              raceClaim,
}

func (f *fixture) webhook(o *account.Organization, changes ...func(*webhook.Webhook)) webhook.Webhook {
	w := webhook.Webhook{
		URL: "https://receiver.example.org/in?key=1", IsActive: true, SecretRef: "ref",
		CreatedBy: f.admin.ID, CreatedByName: "admin", CreatedAt: Now, UpdatedAt: Now,
	}
	if o != nil {
		w.OrganizationID = &o.ID
	}
	for _, c := range changes {
		c(&w)
	}
	return w
}

func (f *fixture) hook(t *testing.T, o *account.Organization, changes ...func(*webhook.Webhook)) webhook.Webhook {
	t.Helper()
	return must.Get(f.InsertWebhook(t.Context(), f.webhook(o, changes...), entry(audit.WebhookCreated, "webhook")))(t)
}

func webhookFields(t *testing.T, f *fixture) {
	full := f.webhook(&f.a, func(w *webhook.Webhook) {
		w.Description, w.Actions, w.SecretRef = "naïve 'quoted'", []string{"hwkey.", "auth.login"}, "ref-1"
	})
	stored := must.Get(f.InsertWebhook(t.Context(), full, entry(audit.WebhookCreated, "webhook")))(t)
	full.ID = stored.ID
	equal(t, "stored", stored, full)
	equal(t, "read", must.Get(f.Webhook(t.Context(), access.All(), stored.ID))(t), full)
	equal(t, "entries", f.logged(t), []string{fmt.Sprintf("webhook.created webhook %d", stored.ID)})
	targets := must.Get(f.ActiveWebhooks(t.Context()))(t)
	if len(targets) != 1 || targets[0].Muted || targets[0].After != f.newest(t) {
		t.Errorf("targets: %+v, want one that begins after entry %d", targets, f.newest(t))
	}
	equal(t, "target", targets[0].Webhook, full)
	refs := must.Get(f.WebhookSecretRefs(t.Context()))(t)
	equal(t, "secret refs", refs, []string{"ref-1"})
	unknown := int64(9999)
	_, err := f.InsertWebhook(t.Context(), f.webhook(nil, func(w *webhook.Webhook) { w.OrganizationID = &unknown }),
		entry(audit.WebhookCreated, "webhook"))
	invalid(t, "an unknown organization", err, "organization_id")
}

func webhookScope(t *testing.T, f *fixture) {
	global, a, b := f.hook(t, nil), f.hook(t, &f.a), f.hook(t, &f.b)
	for _, c := range []struct {
		name  string
		scope access.Scope
		want  []int64
	}{
		{"all", access.All(), []int64{b.ID, a.ID, global.ID}}, {"a", inOrganization(f.a), []int64{a.ID}},
		{"a user", ofUser(f.alex), nil}, {"nothing", access.Scope{}, nil},
	} {
		rows := walk(t, 1, func(p page.Request) (page.Page[webhook.Webhook], error) {
			return f.ListWebhooks(t.Context(), c.scope, p)
		})
		var got []int64
		for _, w := range rows {
			got = append(got, w.ID)
		}
		equal(t, c.name, got, c.want)
	}
	off := false
	d := f.deliver(t, b)
	seen := len(f.logged(t))
	for _, id := range []int64{global.ID, b.ID, 9999} {
		refused(t, "read", errOf(f.Webhook(t.Context(), inOrganization(f.a), id)), fault.NotFound)
		_, err := f.UpdateWebhook(t.Context(), inOrganization(f.a), id, webhook.Change{IsActive: &off, At: Now},
			entry(audit.WebhookUpdated, "webhook"))
		refused(t, "update", err, fault.NotFound)
		refused(t, "delete", f.DeleteWebhook(t.Context(), inOrganization(f.a), id, entry(audit.WebhookDeleted, "webhook")), fault.NotFound)
	}
	for _, id := range []int64{d.ID, 9999} {
		refused(t, "delivery", errOf2(f.Delivery(t.Context(), inOrganization(f.a), id)), fault.NotFound)
		_, err := f.ReplayDelivery(t.Context(), inOrganization(f.a), id, Now, entry(audit.WebhookReplayed, "webhook"))
		refused(t, "replay", err, fault.NotFound)
	}
	equal(t, "entries", len(f.logged(t)), seen)
}

func webhookChanges(t *testing.T, f *fixture) {
	w := f.hook(t, &f.a)
	url, description, off, at := "https://other.example.org/", "other", false, Now.Add(time.Hour)
	actions := []string{"user."}
	got := must.Get(f.UpdateWebhook(t.Context(), inOrganization(f.a), w.ID, webhook.Change{
		URL: &url, Description: &description, Actions: &actions, IsActive: &off, At: at,
	}, entry(audit.WebhookUpdated, "webhook")))(t)
	w.URL, w.Description, w.Actions, w.IsActive, w.UpdatedAt = url, description, actions, false, at
	equal(t, "changed", got, w)
	got = must.Get(f.UpdateWebhook(t.Context(), access.All(), w.ID, webhook.Change{At: at}))(t)
	equal(t, "unchanged", got, w)
	equal(t, "entries", f.logged(t)[1:], []string{fmt.Sprintf("webhook.updated webhook %d", w.ID)})
	targets := must.Get(f.ActiveWebhooks(t.Context()))(t)
	equal(t, "targets while it is off", len(targets), 0)
}

func webhookSecret(t *testing.T, f *fixture) {
	w := f.hook(t, nil)
	outcomes := race(func(i int) error {
		ref := fmt.Sprint("ref-", i)
		_, err := f.UpdateWebhook(t.Context(), access.All(), w.ID, webhook.Change{SecretRef: &ref, ExpectSecretRef: "ref", At: Now},
			entry(audit.WebhookSecretRotated, "webhook"))
		return err
	})
	equal(t, "outcomes", outcomes, oneWins)
	got := must.Get(f.Webhook(t.Context(), access.All(), w.ID))(t)
	if !strings.HasPrefix(got.SecretRef, "ref-") {
		t.Errorf("secret ref %q", got.SecretRef)
	}
	equal(t, "entries", len(f.logged(t)), 2)
}

func webhookRoom(t *testing.T, f *fixture) {
	for _, o := range []*account.Organization{nil, &f.a} {
		for range webhook.MaxPerOrganization {
			f.hook(t, o)
		}
		_, err := f.InsertWebhook(t.Context(), f.webhook(o), entry(audit.WebhookCreated, "webhook"))
		refused(t, "one too many", err, fault.Conflict)
	}
	f.hook(t, &f.b)
}

func webhookDeleted(t *testing.T, f *fixture) {
	w, other := f.hook(t, &f.a), f.hook(t, &f.a)
	d, kept := f.deliver(t, w), f.deliver(t, other)
	n := must.Get(f.PurgeDeliveries(t.Context(), w.ID, 10))(t)
	equal(t, "purged while it lives", n, 0)
	f.seen = f.newest(t)
	must.OK(t, f.DeleteWebhook(t.Context(), inOrganization(f.a), w.ID, entry(audit.WebhookDeleted, "webhook")))
	equal(t, "entries", f.logged(t), []string{fmt.Sprintf("webhook.deleted webhook %d", w.ID)})
	refused(t, "again", f.DeleteWebhook(t.Context(), access.All(), w.ID, entry(audit.WebhookDeleted, "webhook")), fault.NotFound)
	refused(t, "its delivery", errOf2(f.Delivery(t.Context(), access.All(), d.ID)), fault.NotFound)
	_, err := f.ReplayDelivery(t.Context(), access.All(), d.ID, Now, entry(audit.WebhookReplayed, "webhook"))
	refused(t, "its replay", err, fault.NotFound)
	c := f.claim(t, Now)
	equal(t, "the one claim", c.Delivery.ID, kept.ID)
	f.noClaim(t, Now)
	n = must.Get(f.PurgeDeliveries(t.Context(), w.ID, 10))(t)
	equal(t, "purged", n, 1)
	cursor := must.Get(f.WebhookCursor(t.Context()))(t)
	moved := must.Get(f.FanOut(t.Context(), cursor, cursor+1, []webhook.Delivery{delivery(w, cursor+1)}))(t)
	if rows := f.deliveries(t, w); !moved || len(rows) != 0 {
		t.Errorf("moved %v, deliveries of a deleted webhook: %v", moved, rows)
	}
}

func webhookBegins(t *testing.T, f *fixture) {
	w := f.hook(t, nil)
	after := func() int64 {
		targets := must.Get(f.ActiveWebhooks(t.Context()))(t)
		return targets[0].After
	}
	created := after()
	f.append(t, entry("a.a", ""))
	on, off := true, false
	for _, step := range []struct {
		active *bool
		moves  bool
	}{{&on, false}, {&off, false}, {&on, true}} {
		before := created
		_, err := f.UpdateWebhook(t.Context(), access.All(), w.ID, webhook.Change{IsActive: step.active, At: Now},
			entry(audit.WebhookUpdated, "webhook"))
		must.OK(t, err)
		if !*step.active {
			continue
		}
		want := before
		if step.moves {
			want = f.newest(t)
		}
		equal(t, "begins after", after(), want)
	}
}
