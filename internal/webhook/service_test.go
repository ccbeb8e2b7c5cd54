package webhook_test

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/test/must"
)

func (w *world) organization(name string) int64 {
	w.Helper()
	o, err := w.db.InsertOrganization(w.Context(),
		account.Organization{Name: name, IsActive: true, CreatedAt: w.clock.now(), UpdatedAt: w.clock.now()},
		audit.Entry{Action: audit.OrganizationCreated, Outcome: audit.Success, Actor: audit.System, TargetType: "organization"})
	must.OK(w, err)
	return o.ID
}

func (w *world) secrets() []string {
	w.Helper()
	return must.Get(w.vault.List(w.Context(), "webhook_secrets"))(w)
}

// TestSecretsFollowRows: the vault has the secrets of existing webhooks, and no others.
func TestSecretsFollowRows(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	w := newWorld(t, r)
	h, first := w.hook(r.URL)
	h2, second := must.Both(w.service.Update(t.Context(), admin, access.All(), h.ID, webhook.Patch{RotateSecret: true}))(w)
	if second.Empty() || second.Equal(first) || h2.SecretRef == h.SecretRef {
		t.Error("the secret is no new one")
	}
	if refs := w.secrets(); len(refs) != 1 || refs[0] != h2.SecretRef {
		t.Errorf("the vault holds %v, want %s", refs, h2.SecretRef)
	}
	_, none := must.Both(w.service.Update(t.Context(), admin, access.All(), h.ID, webhook.Patch{IsActive: new(bool)}))(w)
	if !none.Empty() {
		t.Error("a change of something else shows a secret")
	}
	unknown := int64(9999)
	if _, _, err := w.service.Create(t.Context(), admin, access.All(), webhook.New{OrganizationID: &unknown, URL: r.URL}); !fault.Is(err,
		fault.InvalidRequest) {
		t.Errorf("got %v, want invalid_request", err)
	}
	must.OK(w, w.service.Delete(t.Context(), admin, access.All(), h.ID))
	if refs := w.secrets(); len(refs) != 0 {
		t.Errorf("the vault holds %v, want nothing", refs)
	}
}

// TestCleanUp removes old deliveries, and secrets left by a crash between vault
// and database, but none whose row may be about to be written.
func TestCleanUp(t *testing.T) {
	t.Parallel()
	r := newReceiver(t)
	w := newWorld(t, r)
	h, _ := w.hook(r.URL)
	w.happen("x")
	w.until(h, "delivered", is(webhook.Delivered))
	must.Get(w.vault.Put(t.Context(), "webhook_secrets/orphan", vault.Data(`{"secret":"whsec_AAAA"}`), 0))(w)
	must.OK(w, w.service.CleanUp(t.Context()))
	if refs := w.secrets(); len(refs) != 2 {
		t.Errorf("the vault holds %v, want two: the orphan is too young to be one", refs)
	}
	w.clock.pass(61 * time.Minute)
	must.OK(w, w.service.CleanUp(t.Context()))
	if refs := w.secrets(); len(refs) != 1 || refs[0] != h.SecretRef {
		t.Errorf("the vault holds %v, want %s", refs, h.SecretRef)
	}
	w.clock.pass(30*24*time.Hour - 61*time.Minute)
	must.OK(w, w.service.CleanUp(t.Context()))
	if n := len(w.deliveries(h)); n != 1 {
		t.Errorf("%d deliveries before 30 days are over", n)
	}
	w.clock.pass(time.Second)
	must.OK(w, w.service.CleanUp(t.Context()))
	if n := len(w.deliveries(h)); n != 0 {
		t.Errorf("%d deliveries after 30 days", n)
	}
}
