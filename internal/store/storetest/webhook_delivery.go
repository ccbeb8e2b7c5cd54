package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/test/must"
)

func delivery(w webhook.Webhook, auditID int64) webhook.Delivery {
	return webhook.Delivery{
		WebhookID: w.ID, AuditID: auditID, MessageID: fmt.Sprintf("msg_%d_%d", w.ID, auditID), Action: "a.a",
		Status: webhook.Pending, NextAttemptAt: ptr(Now), CreatedAt: Now,
	}
}

// deliver makes an entry and fans it out to one webhook.
func (f *fixture) deliver(t *testing.T, w webhook.Webhook, changes ...func(*webhook.Delivery)) webhook.Delivery {
	t.Helper()
	f.append(t, audit.Entry{Action: "a.a", Outcome: audit.Success, Actor: "x", OrganizationID: w.OrganizationID})
	d := delivery(w, f.newest(t))
	for _, c := range changes {
		c(&d)
	}
	from := must.Get(f.WebhookCursor(t.Context()))(t)
	moved := must.Get(f.FanOut(t.Context(), from, d.AuditID, []webhook.Delivery{d}))(t)
	rows := f.deliveries(t, w)
	if !moved || len(rows) == 0 || rows[0].AuditID != d.AuditID {
		t.Fatalf("moved %v, deliveries %v", moved, rows)
	}
	return rows[0]
}

// deliveries are all of a webhook, newest first.
func (f *fixture) deliveries(t *testing.T, w webhook.Webhook) []webhook.Delivery {
	t.Helper()
	p := must.Get(f.ListDeliveries(t.Context(), w.ID, webhook.Filter{}, page.Request{Limit: page.MaxLimit}))(t)
	return p.Items
}

const leaseTime = time.Minute

func (f *fixture) claim(t *testing.T, at time.Time) webhook.Claim {
	t.Helper()
	c, ok := must.Both(f.ClaimDelivery(t.Context(), at, at.Add(leaseTime)))(t)
	if !ok {
		t.Fatal("there is nothing to claim")
	}
	return c
}

func (f *fixture) noClaim(t *testing.T, at time.Time) {
	t.Helper()
	c, ok := must.Both(f.ClaimDelivery(t.Context(), at, at.Add(leaseTime)))(t)
	if ok {
		t.Errorf("claimed %+v, want nothing", c.Delivery)
	}
}

func deliveredAt(c webhook.Claim, at time.Time) webhook.Result {
	return webhook.Result{Status: webhook.Delivered, Attempts: c.Delivery.Attempts, StatusCode: ptr(200), At: at}
}

func deliveryLists(t *testing.T, f *fixture) {
	w, other := f.hook(t, &f.a), f.hook(t, nil)
	for range 3 {
		f.deliver(t, w)
	}
	f.deliver(t, other)
	c := f.claim(t, Now)
	must.OK(t, f.FinishDelivery(t.Context(), c, deliveredAt(c, Now.Add(time.Second))))
	for status, want := range map[webhook.Status]int{"": 3, webhook.Pending: 2, webhook.Delivered: 1, webhook.Failed: 0} {
		rows := walk(t, 2, func(p page.Request) (page.Page[webhook.Delivery], error) {
			return f.ListDeliveries(t.Context(), w.ID, webhook.Filter{Status: status}, p)
		})
		equal(t, "status "+string(status), len(rows), want)
		for i := 1; i < len(rows); i++ {
			if rows[i].ID >= rows[i-1].ID {
				t.Errorf("not newest first: %v", rows)
			}
		}
	}
	d, of := must.Both(f.Delivery(t.Context(), inOrganization(f.a), c.Delivery.ID))(t)
	want := delivery(w, d.AuditID)
	want.ID, want.Status, want.Attempts, want.NextAttemptAt = c.Delivery.ID, webhook.Delivered, 1, nil
	want.LastStatusCode, want.DeliveredAt = ptr(200), ptr(Now.Add(time.Second))
	equal(t, "delivery", d, want)
	equal(t, "its webhook", of, w)
}

func deliveryReplay(t *testing.T, f *fixture) {
	w := f.hook(t, &f.a)
	d := f.deliver(t, w)
	c := f.claim(t, Now)
	must.OK(t, f.FinishDelivery(t.Context(), c,
		webhook.Result{Status: webhook.Failed, Attempts: 1, StatusCode: ptr(410), Error: webhook.Gone, At: Now}))
	f.noClaim(t, Now.Add(24*time.Hour))
	at := Now.Add(time.Hour)
	f.seen = f.newest(t)
	replay := entry(audit.WebhookReplayed, "webhook")
	replay.TargetID = fmt.Sprint(w.ID)
	got := must.Get(f.ReplayDelivery(t.Context(), inOrganization(f.a), d.ID, at, replay))(t)
	d.LastStatusCode, d.LastError, d.NextAttemptAt = ptr(410), webhook.Gone, &at
	equal(t, "replayed", got, d)
	equal(t, "entries", f.logged(t), []string{"webhook.replayed webhook " + replay.TargetID})
	f.noClaim(t, at.Add(-time.Second))
	c = f.claim(t, at)
	equal(t, "message id", c.Delivery.MessageID, d.MessageID)
	// Replayed again while under way: that attempt decides nothing.
	must.Get(f.ReplayDelivery(t.Context(), access.All(), d.ID, at, replay))(t)
	must.OK(t, f.FinishDelivery(t.Context(), c, deliveredAt(c, at)))
	equal(t, "attempts of the next claim", f.claim(t, at).Delivery.Attempts, 1)
}

func deliveryRemoval(t *testing.T, f *fixture) {
	w := f.hook(t, nil)
	old := func(d *webhook.Delivery) { d.CreatedAt = Now.Add(-time.Hour) }
	f.deliver(t, w, old)
	f.deliver(t, w, old)
	kept := f.deliver(t, w)
	for _, want := range []int{1, 1, 0} {
		equal(t, "removed", must.Get(f.DeleteDeliveries(t.Context(), Now, 1))(t), want)
	}
	equal(t, "left", f.deliveries(t, w), []webhook.Delivery{kept})
}

func fanOutOnce(t *testing.T, f *fixture) {
	w := f.hook(t, nil)
	from := must.Get(f.WebhookCursor(t.Context()))(t)
	equal(t, "cursor at first", from, 0)
	for _, step := range []struct {
		from, to int64
		ids      []int64
		moved    bool
		want     int
	}{
		{0, 10, []int64{3, 7}, true, 2},
		{0, 10, []int64{4, 8}, false, 2}, // another was faster
		{9, 11, []int64{11}, false, 2},
		{10, 12, []int64{7, 12}, true, 3}, // 7 is there already
	} {
		var list []webhook.Delivery
		for _, id := range step.ids {
			list = append(list, delivery(w, id))
		}
		equal(t, fmt.Sprint(step), must.Get(f.FanOut(t.Context(), step.from, step.to, list))(t), step.moved)
		equal(t, fmt.Sprint(step), len(f.deliveries(t, w)), step.want)
	}
}

// fanOutRewind: a log restored to a shorter one is followed from its end.
func fanOutRewind(t *testing.T, f *fixture) {
	w := f.hook(t, nil)
	kept := f.deliver(t, w)
	must.OK(t, f.RewindWebhooks(t.Context()))
	cursor := func() int64 {
		t.Helper()
		return must.Get(f.WebhookCursor(t.Context()))(t)
	}
	equal(t, "cursor while all is well", cursor(), kept.AuditID)
	newest := f.newest(t)
	must.Get(f.FanOut(t.Context(), cursor(), newest+100, []webhook.Delivery{delivery(w, newest+100)}))(t)
	must.OK(t, f.RewindWebhooks(t.Context()))
	equal(t, "cursor", cursor(), newest)
	equal(t, "deliveries", f.deliveries(t, w), []webhook.Delivery{kept})
	targets := must.Get(f.ActiveWebhooks(t.Context()))(t)
	if len(targets) != 1 || targets[0].After > newest {
		t.Errorf("targets %+v, want one that begins by %d", targets, newest)
	}
}

// raceFanOut lets several follow the log at once, as replicas do.
func raceFanOut(t *testing.T, f *fixture) {
	w := f.hook(t, nil)
	const entries = 40
	for i := range entries {
		f.append(t, entry(audit.Action(fmt.Sprint("a.", i)), ""))
	}
	newest := f.newest(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for {
				from, err := f.WebhookCursor(t.Context())
				if err != nil || from >= newest {
					return
				}
				batch, err := f.AuditAfter(t.Context(), max(from, newest-entries), 3)
				if err != nil || len(batch) == 0 {
					t.Errorf("batch of %d, %v", len(batch), err)
					return
				}
				var list []webhook.Delivery
				for _, e := range batch {
					list = append(list, delivery(w, e.ID))
				}
				if _, err := f.FanOut(t.Context(), from, batch[len(batch)-1].ID, list); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	rows := f.deliveries(t, w)
	seen := map[int64]bool{}
	for _, d := range rows {
		seen[d.AuditID] = true
	}
	if len(rows) != entries || len(seen) != entries {
		t.Errorf("%d deliveries of %d entries, want one of each of %d", len(rows), len(seen), entries)
	}
}
