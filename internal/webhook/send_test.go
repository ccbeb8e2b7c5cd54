package webhook_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/test/must"
)

func TestDelivered(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	w := newWorld(t, r)
	w.happen("before")
	h, key := w.hook(r.URL + "/in")
	w.happen("first")
	d := w.until(h, "delivered", is(webhook.Delivered))
	if d.Attempts != 1 || *d.LastStatusCode != 200 || d.LastError != "" || d.NextAttemptAt != nil || d.DeliveredAt == nil {
		t.Errorf("delivery %+v", d)
	}
	got := r.messages()
	if len(got) != 1 {
		t.Fatalf("%d messages, want one", len(got))
	}
	m := got[0]
	if !verified(m, key) || verified(m, secret.New("whsec_"+strings.Repeat("A", 43)+"=")) {
		t.Error("the signature is not that of the key")
	}
	if m.id() != d.MessageID || !strings.HasPrefix(m.id(), "msg_") || m.header.Get("Webhook-Timestamp") != fmt.Sprint(w.clock.now().Unix()) {
		t.Errorf("headers %v", m.header)
	}
	if m.header.Get("Content-Type") != "application/json" || m.header.Get("Authorization") != "" || m.header.Get("Cookie") != "" {
		t.Errorf("headers %v", m.header)
	}
	if m.body.Type != "test.happened" || m.body.Timestamp != "2026-05-04T12:00:00Z" || m.body.Data["details"] != "first" ||
		m.body.Data["actor"] != "jdoe" ||
		m.body.Data["id"] != float64(d.AuditID) || m.body.Data["at"] != m.body.Timestamp {
		t.Errorf("body %s", m.raw)
	}
}

// TestRetries: the same message is sent at growing intervals, until given up; a
// replay starts over.
func TestRetries(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	w := newWorld(t, r)
	h, key := w.hook(r.URL)
	r.answers(status(500))
	w.happen("once")
	pauses := []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour}
	for i, want := range pauses {
		d := w.until(h, fmt.Sprint("attempt ", i+1), w.attempted(i+1))
		if d.Status != webhook.Pending || d.LastError != webhook.StatusRefused || *d.LastStatusCode != 500 {
			t.Fatalf("delivery %+v", d)
		}
		wait := d.NextAttemptAt.Sub(w.clock.now())
		if wait < want*8/10 || wait > want*12/10 {
			t.Errorf("after attempt %d: %v, want about %v", i+1, wait, want)
		}
		w.clock.pass(wait)
	}
	d := w.until(h, "failed", is(webhook.Failed))
	if d.Attempts != webhook.MaxAttempts || d.NextAttemptAt != nil || len(r.messages()) != webhook.MaxAttempts {
		t.Errorf("delivery %+v, %d messages", d, len(r.messages()))
	}
	r.answers(nil)
	for _, active := range []bool{false, true} {
		must.Both(w.service.Update(t.Context(), admin, access.All(), h.ID, webhook.Patch{IsActive: &active}))(w)
		_, err := w.service.Replay(t.Context(), admin, access.All(), d.ID)
		if active != (err == nil) || !active && !fault.Is(err, fault.Conflict) {
			t.Errorf("replay to a webhook that is on, %t: %v", active, err)
		}
	}
	if d = w.until(h, "replayed", is(webhook.Delivered)); d.Attempts != 1 {
		t.Errorf("delivery %+v", d)
	}
	sent := map[string]bool{} // times of sending: receivers reject an old one as a replay
	for _, m := range r.messages() {
		if m.id() != d.MessageID || !verified(m, key) || string(m.raw) != string(r.messages()[0].raw) {
			t.Errorf("message %s, want %s, signed, and always the same", m.id(), d.MessageID)
		}
		sent[m.header.Get("Webhook-Timestamp")] = true
	}
	if len(sent) < webhook.MaxAttempts {
		t.Errorf("sent at %v", sent)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		status webhook.Status
		class  webhook.Class
	}{
		"gone": {status(410), webhook.Failed, webhook.Gone},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/other", http.StatusPermanentRedirect)
		}, webhook.Pending, webhook.RedirectRefused},
		"cut": {cut, webhook.Pending, webhook.ConnectionLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReceiver(t)
			w := newWorld(t, r)
			h, _ := w.hook(r.URL)
			r.answers(c.answer)
			w.happen("x")
			d := w.until(h, "one attempt", w.attempted(1))
			if d.Status != c.status || d.LastError != c.class {
				t.Errorf("delivery %+v, want %s %s", d, c.status, c.class)
			}
			if n := len(r.messages()); n != 1 {
				t.Errorf("%d messages, want one", n)
			}
		})
	}
}

// TestSlowReceiver: several that hang delay nobody else.
func TestSlowReceiver(t *testing.T) {
	t.Parallel()
	slow, r := newReceiver(t), newReceiver(t)
	w := newWorld(t, r)
	for range 3 {
		w.hook(slow.URL)
	}
	h, _ := w.hook(r.URL)
	gate := make(chan struct{})
	t.Cleanup(func() { close(gate) })
	slow.answers(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-gate:
		case <-r.Context().Done():
		}
	})
	for i := range 5 {
		w.happen(fmt.Sprint(i))
	}
	w.wait("all five arrived", func() bool { return len(r.messages()) == 5 })
	for i, m := range r.messages() {
		if m.body.Data["details"] != fmt.Sprint(i) {
			t.Errorf("message %d is %v: not in order", i, m.body.Data["details"])
		}
	}
	if d := w.deliveries(h); len(d) != 5 {
		t.Errorf("%d deliveries", len(d))
	}
}

// TestRestart: attempts aborted by a stop are repeated at once, those of a
// killed server when its lease expires.
func TestRestart(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	w := newWorld(t, r)
	h, _ := w.hook(r.URL)
	r.answers(hang)
	w.happen("stopped")
	w.wait("under way", func() bool { return len(r.messages()) == 1 })
	w.restart()
	r.answers(nil)
	if d := w.until(h, "delivered", is(webhook.Delivered)); d.Attempts != 1 {
		t.Errorf("an attempt that was given up counts: %+v", d)
	}
	w.stop() // as if killed: the claim is never returned
	w.happen("killed")
	now := w.clock.now()
	if _, ok, err := w.db.ClaimDelivery(t.Context(), now, now.Add(time.Minute)); !ok || err != nil {
		t.Fatalf("claim: %v, %v", ok, err)
	}
	w.restart()
	w.clock.pass(59 * time.Second)
	if _, ok, err := w.db.ClaimDelivery(t.Context(), w.clock.now(), w.clock.now().Add(time.Minute)); ok || err != nil {
		t.Errorf("claimed within another's lease: %v, %v", ok, err)
	}
	w.clock.pass(time.Second)
	d := w.until(h, "delivered", is(webhook.Delivered))
	if got := r.messages(); d.Attempts != 2 || got[len(got)-1].body.Data["details"] != "killed" {
		t.Errorf("%+v", d)
	}
}

// TestOutOfScope: nobody is sent what they may not read, even if someone
// inserted the delivery into the table.
func TestOutOfScope(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	w := newWorld(t, r)
	a, b := w.organization("a"), w.organization("b")
	h, _ := must.Both(w.service.Create(t.Context(), admin, access.All(), webhook.New{OrganizationID: &a, URL: r.URL}))(w)
	for _, org := range []*int64{nil, &b, &a} {
		must.OK(w, w.db.AppendAudit(t.Context(), audit.Entry{Action: "test.x", Outcome: audit.Success, Actor: "x", OrganizationID: org}))
	}
	must.OK(w, w.fanOut.Run(t.Context()))
	d := w.until(h, "delivered", is(webhook.Delivered))
	if n := len(w.deliveries(h)); n != 1 {
		t.Errorf("%d deliveries, want that of the own organization", n)
	}
	cursor := must.Get(w.db.WebhookCursor(t.Context()))(w)
	forged := webhook.Delivery{WebhookID: h.ID, AuditID: d.AuditID - 1, MessageID: "msg_x", Action: "test.x", CreatedAt: w.clock.now()}
	missing := webhook.Delivery{WebhookID: h.ID, AuditID: d.AuditID + 1000, MessageID: "msg_y", Action: "test.x", CreatedAt: w.clock.now()}
	must.Get(w.db.FanOut(t.Context(), cursor, cursor, []webhook.Delivery{missing, forged}))(w)
	want := map[int64]webhook.Class{forged.AuditID: webhook.OutOfScope, missing.AuditID: webhook.EventMissing, d.AuditID: ""}
	w.wait("all settled", func() bool {
		for _, d := range w.deliveries(h) {
			if d.Status == webhook.Pending {
				return false
			}
		}
		return true
	})
	for _, d := range w.deliveries(h) {
		if d.LastError != want[d.AuditID] {
			t.Errorf("entry %d: %q, want %q", d.AuditID, d.LastError, want[d.AuditID])
		}
	}
	if n := len(r.messages()); n != 1 {
		t.Errorf("%d messages, want one", n)
	}
}

// TestVault: without its secret nothing is sent unsigned.
func TestVault(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	w := newWorld(t, r)
	h, _ := w.hook(r.URL)
	must.OK(w, w.vault.DestroyPath(t.Context(), "webhook_secrets/"+h.SecretRef))
	w.happen("x")
	d := w.until(h, "one attempt", w.attempted(1))
	if d.LastError != webhook.SecretMissing || len(r.messages()) != 0 {
		t.Errorf("delivery %+v, %d messages", d, len(r.messages()))
	}
	_, key := must.Both(w.service.Update(t.Context(), admin, access.All(), h.ID, webhook.Patch{RotateSecret: true}))(w)
	w.clock.pass(time.Minute)
	w.until(h, "delivered", is(webhook.Delivered))
	if got := r.messages(); len(got) != 1 || !verified(got[0], key) {
		t.Error("the message is not signed with the new secret")
	}
	_, _, err := w.service.Update(t.Context(), admin, access.All(), 9999, webhook.Patch{RotateSecret: true})
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v, want not_found", err)
	}
}
