package storetest

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/test/must"
)

// claimOrder: the most overdue delivery of the webhook that was served longest ago.
func claimOrder(t *testing.T, f *fixture) {
	a, b := f.hook(t, &f.a), f.hook(t, nil)
	first, second := f.deliver(t, a), f.deliver(t, a)
	f.noClaim(t, Now.Add(-time.Second))
	c := f.claim(t, Now)
	equal(t, "first", c.Delivery.ID, first.ID)
	equal(t, "attempts", c.Delivery.Attempts, 1)
	equal(t, "webhook", c.Webhook, a)
	if c.Entry == nil || c.Entry.ID != first.AuditID || c.Entry.Action != "a.a" {
		t.Errorf("entry %+v", c.Entry)
	}
	must.OK(t, f.FinishDelivery(t.Context(), c, webhook.Result{
		Status: webhook.Pending, Attempts: 1, NextAttemptAt: ptr(Now.Add(time.Second)), Error: webhook.TimedOut, At: Now,
	}))
	others := f.deliver(t, b)
	at := Now.Add(2 * time.Second) // all three are due, and a was served last
	equal(t, "the other webhook's", f.claim(t, at).Delivery.ID, others.ID)
	c = f.claim(t, at)
	equal(t, "the most overdue", c.Delivery.ID, second.ID)
	must.OK(t, f.FinishDelivery(t.Context(), c, deliveredAt(c, at)))
	c = f.claim(t, at)
	equal(t, "the one put off", c.Delivery.ID, first.ID)
	equal(t, "its attempts", c.Delivery.Attempts, 2)
	equal(t, "its error", c.Delivery.LastError, webhook.TimedOut)
}

// claimLease: one at a time per webhook, and again when the lease is over.
func claimLease(t *testing.T, f *fixture) {
	w := f.hook(t, nil)
	first, second := f.deliver(t, w), f.deliver(t, w)
	equal(t, "claimed", f.claim(t, Now).Delivery.ID, first.ID)
	f.noClaim(t, Now.Add(leaseTime-time.Second))
	c := f.claim(t, Now.Add(leaseTime))
	equal(t, "claimed again", c.Delivery.ID, first.ID)
	equal(t, "attempts", c.Delivery.Attempts, 2)
	must.OK(t, f.FinishDelivery(t.Context(), c, deliveredAt(c, Now)))
	equal(t, "then", f.claim(t, Now).Delivery.ID, second.ID)
}

func claimOff(t *testing.T, f *fixture) {
	w := f.hook(t, nil)
	disabled, err := f.InsertOrganization(t.Context(), account.Organization{Name: "Closed", CreatedAt: Now, UpdatedAt: Now},
		entry(audit.OrganizationCreated, "organization"))
	must.OK(t, err)
	muted := f.hook(t, &disabled)
	f.deliver(t, w)
	f.deliver(t, muted)
	targets := must.Get(f.ActiveWebhooks(t.Context()))(t)
	if len(targets) != 2 || targets[0].Muted || !targets[1].Muted {
		t.Errorf("targets: %+v, want the second one muted", targets)
	}
	on, off := true, false
	must.Get(f.UpdateWebhook(t.Context(), access.All(), w.ID, webhook.Change{IsActive: &off, At: Now}))(t)
	f.noClaim(t, Now)
	must.Get(f.UpdateWebhook(t.Context(), access.All(), w.ID, webhook.Change{IsActive: &on, At: Now}))(t)
	equal(t, "claimed", f.claim(t, Now).Webhook.ID, w.ID)
	f.noClaim(t, Now)
}

// webhookCreator: a webhook gets something only as long as its creator may have it.
func webhookCreator(t *testing.T, f *fixture) {
	second := f.user(t, "second", access.GlobalAdmin, nil)
	by := func(u account.User) func(*webhook.Webhook) {
		return func(w *webhook.Webhook) { w.CreatedBy, w.CreatedByName = u.ID, u.Username }
	}
	global, ofAdmin := f.hook(t, nil, by(second)), f.hook(t, &f.a, by(second))
	ofManager := f.hook(t, &f.a, by(f.manager))
	hooks := []webhook.Webhook{global, ofAdmin, ofManager}
	names := map[int64]string{global.ID: "global", ofAdmin.ID: "admin's", ofManager.ID: "manager's"}
	for _, c := range []struct {
		name string
		of   account.User
		edit func(*account.User)
		told string
	}{
		{"as they are", second, func(*account.User) {}, "global admin's manager's"},
		{"the admin became a manager there", second, func(
			u *account.User) {
			u.Role, u.OrganizationID = access.OrgManager, &f.a.ID
		}, "admin's manager's"},
		{"a manager elsewhere", second, func(u *account.User) { u.OrganizationID = &f.b.ID }, "manager's"},
		{"an admin again", second, func(u *account.User) { u.Role, u.OrganizationID = access.GlobalAdmin, nil }, "global admin's manager's"},
		{"disabled", second, func(u *account.User) { u.IsActive = false }, "manager's"},
		{"the manager became a user", f.manager, func(u *account.User) { u.Role = access.User }, ""},
		{"of no organization", f.manager, func(u *account.User) { u.Role, u.OrganizationID = access.OrgManager, nil }, ""},
		{"the manager became an admin", f.manager, func(u *account.User) { u.Role, u.OrganizationID = access.GlobalAdmin, nil }, "manager's"},
	} {
		must.Both(f.edit(t, c.of, c.edit))(t)
		targets := must.Get(f.ActiveWebhooks(t.Context()))(t)
		var told, claimed []string
		for _, target := range targets {
			if !target.Muted {
				told = append(told, names[target.ID])
			}
		}
		equal(t, c.name+": told", strings.Join(told, " "), c.told)
		for _, w := range hooks {
			f.deliver(t, w)
		}
		for {
			d, ok := must.Both(f.ClaimDelivery(t.Context(), Now, Now.Add(leaseTime)))(t)
			if !ok {
				break
			}
			claimed = append(claimed, names[d.Webhook.ID])
			must.OK(t, f.FinishDelivery(t.Context(), d, deliveredAt(d, Now)))
		}
		slices.Sort(claimed)
		slices.Sort(told)
		equal(t, c.name+": claimed", slices.Compact(claimed), told)
	}
}

// claimShare: an organization, or the global admins, hold a few leases and no more; others go on.
func claimShare(t *testing.T, f *fixture) {
	for _, o := range []*account.Organization{&f.a, nil} {
		for range webhook.LeasesPerOrganization + 2 {
			f.deliver(t, f.hook(t, o))
		}
	}
	other := f.hook(t, &f.b)
	f.deliver(t, other)
	held := map[int64]webhook.Claim{}
	count := map[int64]int{}
	for range 2*webhook.LeasesPerOrganization + 1 {
		c := f.claim(t, Now)
		var of int64
		if c.Webhook.OrganizationID != nil {
			of = *c.Webhook.OrganizationID
		}
		held[of] = c
		count[of]++
	}
	equal(t, "leases", count, map[int64]int{0: webhook.LeasesPerOrganization, f.a.ID: webhook.LeasesPerOrganization, f.b.ID: 1})
	f.noClaim(t, Now)
	must.OK(t, f.FinishDelivery(t.Context(), held[f.a.ID], deliveredAt(held[f.a.ID], Now)))
	equal(t, "the one that has a place again", f.claim(t, Now).Webhook.OrganizationID, &f.a.ID)
	f.noClaim(t, Now)
	f.claim(t, Now.Add(leaseTime)) // they have run out
}

// claimLate: a sender that returns after its lease has run out and another has claimed changes
// nothing, and does not end the other's lease.
func claimLate(t *testing.T, f *fixture) {
	w := f.hook(t, nil)
	d := f.deliver(t, w)
	late := f.claim(t, Now)
	at := Now.Add(leaseTime)
	now := f.claim(t, at)
	must.OK(t, f.FinishDelivery(t.Context(), late, webhook.Result{Status: webhook.Failed, Attempts: 1, Error: webhook.TimedOut, At: at}))
	f.deliver(t, w)
	f.noClaim(t, at)
	must.OK(t, f.FinishDelivery(t.Context(), now, deliveredAt(now, at)))
	got, _ := must.Both(f.Delivery(t.Context(), access.All(), d.ID))(t)
	equal(t, "status", got.Status, webhook.Delivered)
	// An outcome for a deleted webhook is no error.
	c := f.claim(t, at)
	must.OK(t, f.DeleteWebhook(t.Context(), access.All(), w.ID, entry(audit.WebhookDeleted, "webhook")))
	must.OK(t, f.FinishDelivery(t.Context(), c, deliveredAt(c, at)))
	// A delivery whose entry is not in the log comes without it.
	w = f.hook(t, nil)
	from := must.Get(f.WebhookCursor(t.Context()))(t)
	must.Get(f.FanOut(t.Context(), from, from+1000, []webhook.Delivery{delivery(w, from+1000)}))(t)
	if c := f.claim(t, at); c.Entry != nil {
		t.Errorf("entry %+v", c.Entry)
	}
}

// raceClaim lets many senders work on several webhooks at once.
func raceClaim(t *testing.T, f *fixture) {
	const hooks, each = 3, 8
	for range hooks {
		w := f.hook(t, nil)
		for range each {
			f.deliver(t, w)
		}
	}
	var mu sync.Mutex
	sent, busy := map[int64]int{}, map[int64]int{}
	var group sync.WaitGroup
	for range racers {
		group.Go(func() {
			for {
				c, ok, err := f.ClaimDelivery(t.Context(), Now, Now.Add(leaseTime))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if !ok && len(sent) == hooks*each {
					mu.Unlock()
					return
				}
				if ok {
					sent[c.Delivery.ID]++
					if busy[c.Webhook.ID]++; busy[c.Webhook.ID] > 1 {
						t.Errorf("webhook %d is sent to twice at once", c.Webhook.ID)
					}
				}
				mu.Unlock()
				if !ok {
					continue // the others still have theirs
				}
				mu.Lock()
				busy[c.Webhook.ID]--
				mu.Unlock()
				if err := f.FinishDelivery(t.Context(), c, deliveredAt(c, Now)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	for id, n := range sent {
		if n != 1 {
			t.Errorf("delivery %d was claimed %d times", id, n)
		}
	}
}
