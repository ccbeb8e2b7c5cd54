//go:build exhaustive

package storetest

import (
	"fmt"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/organization"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/test/must"
)

// world is what is there at a moment.
type world struct {
	people        map[int64]user.User
	organizations map[int64]organization.Organization
	tokens        map[string]hwkey.Device
	certificates  map[string]cert.Certificate
	unrecorded    map[string]cert.Unrecorded
	unpublished   map[string]bool
	hooks         map[int64]webhook.Webhook
	log           []audit.Entry
}

func (h *history) world(t *testing.T) world {
	t.Helper()
	w := world{
		people: map[int64]user.User{}, organizations: map[int64]organization.Organization{}, tokens: map[string]hwkey.Device{},
		certificates: map[string]cert.Certificate{}, unpublished: map[string]bool{}, hooks: map[int64]webhook.Webhook{},
	}
	for _, u := range must.Get(h.ListUsers(t.Context(), access.All(), user.Filter{}, page.Request{Limit: page.MaxLimit}))(t).Items {
		w.people[u.ID] = u
	}
	for _, id := range h.organizations {
		w.organizations[id] = must.Get(h.Organization(t.Context(), access.All(), id))(t)
	}
	for _, serial := range h.tokens {
		w.tokens[serial] = must.Get(h.Device(t.Context(), access.All(), serial))(t)
	}
	for _, serial := range h.certificates {
		w.certificates[serial] = must.Get(h.Certificate(t.Context(), access.All(), serial))(t)
	}
	w.unrecorded = must.Get(h.UnrecordedRevocations(t.Context(), append([]string{"none"}, h.unrecorded...)))(t)
	for _, list := range [][]vault.Revocation{
		must.Get(h.UnpublishedRevocations(t.Context(), 0, 100))(t), must.Get(h.UnpublishedUnrecorded(t.Context(), 0, 100))(t),
	} {
		for _, r := range list {
			w.unpublished[r.Serial] = true
		}
	}
	for _, id := range h.hooks {
		hook, err := h.Webhook(t.Context(), access.All(), id)
		if err == nil {
			w.hooks[id] = hook
		}
	}
	w.log = must.Get(h.AuditAfter(t.Context(), 0, 1000))(t)
	return w
}

// again restores one of the backups, and looks at everything.
func (h *history) again(t *testing.T, which int) {
	t.Helper()
	b := oneOf(h.backups, which)
	before := h.world(t)
	report := must.Get(b.Backup(t.Context(), options()))(t)
	now := h.world(t)
	h.sameOrLess(t, before, b.then, now)
	h.factsOfBoth(t, before, b.then, now)
	equal(t, "the log goes on", now.log[:len(before.log)], before.log)
	equal(t, "with one entry", len(now.log), len(before.log)+1)
	for _, in := range h.sessions {
		equal(t, "a session", h.session(t, in.ID).Active, false)
	}
	for _, k := range h.keys {
		k, s := must.Both(h.KeyByHash(t.Context(), k.Hash))(t)
		refused(t, k.Name, k.MayAct(s, after), fault.TokenInvalid)
	}
	for id, w := range now.hooks {
		if was := before.hooks[id]; w.IsActive && (!was.IsActive || w.URL != was.URL) {
			t.Errorf("webhook %d sends to %s; before: %+v", id, w.URL, was)
		}
	}
	equal(t, "to be published", int(report.Unpublished), len(now.unpublished))
	for _, a := range report.Accounts {
		equal(t, a.Username+" is listed, and active", now.people[a.ID].IsActive, false)
	}
	name := fmt.Sprint("after ", len(now.log))
	u := h.user(t, fmt.Sprint("u", len(now.log)), access.User, nil)
	d := h.device(t, name, func(d *hwkey.Device) { d.Status, d.OwnerID, d.OrganizationID = hwkey.InStock, nil, nil })
	o := h.organization(t, name)
	for table, id := range map[string]int64{"users": u.ID, "hwkeys": d.ID, "organizations": o.ID} {
		if id <= h.raised[table] {
			t.Errorf("%s: the id %d is given, after %d", table, id, h.raised[table])
		}
		h.given(table, id)
	}
	h.organizations, h.tokens = append(h.organizations, o.ID), append(h.tokens, name)
}

func rank(r access.Role) int {
	return map[access.Role]int{access.User: 1, access.OrgManager: 2, access.GlobalAdmin: 3}[r]
}

// sameOrLess: nobody can do more than just before, nor than in the backup, but for the one
// who restored; and the rules of accounts hold.
func (h *history) sameOrLess(t *testing.T, before, then, now world) {
	t.Helper()
	admins := 0
	for id, u := range now.people {
		was, there := before.people[id]
		old, kept := then.people[id]
		switch {
		case !there && !kept:
			t.Errorf("%s comes from nowhere", u.Username)
		case !there && u.IsActive, there && u.IsActive && !was.IsActive:
			t.Errorf("%s is active, and was not", u.Username)
		case there && (rank(u.Role) > rank(was.Role) || !access.SameID(u.OrganizationID, was.OrganizationID) || u.Username != was.Username):
			t.Errorf("it was %+v, and is %+v", was, u)
		case id == h.admin.ID:
			equal(t, "who restores", u, was)
		case kept && u.IsActive && (!old.IsActive || rank(u.Role) > rank(old.Role) || rank(old.Role) > rank(was.Role) ||
			!access.SameID(u.OrganizationID, old.OrganizationID)):
			t.Errorf("%s is active: in the backup it is %+v, now %+v", u.Username, old, u)
		case there && u.DisabledByRecovery && !was.DisabledByRecovery && !was.IsActive:
			t.Errorf("%s was disabled by people, and waits to be enabled", u.Username)
		}
		if u.Role == access.GlobalAdmin && u.IsActive {
			admins++
		}
		if (u.Role == access.GlobalAdmin) && u.OrganizationID != nil || u.Role == access.OrgManager && u.OrganizationID == nil {
			t.Errorf("%s is %s of %v", u.Username, u.Role, u.OrganizationID)
		}
		for _, login := range []string{u.Username, u.Email} {
			equal(t, "whom "+login+" leads to", h.loginOf(t, login), id)
		}
		if u.OrganizationID != nil && !now.organizations[*u.OrganizationID].Accepts(u.Email) {
			t.Errorf("%s is no member that %+v takes", u.Email, now.organizations[*u.OrganizationID])
		}
	}
	equal(t, "somebody is gone", len(now.people) >= len(before.people) && len(now.people) >= len(then.people), true)
	if admins == 0 {
		t.Error("there is no active global admin")
	}
	for id, o := range now.organizations {
		if old, kept := then.organizations[id]; o.IsActive && (!before.organizations[id].IsActive || kept && !old.IsActive) {
			t.Errorf("%s is active", o.Name)
		}
	}
}

// factsOfBoth: what either side has is there, and revoked where either has it so.
func (h *history) factsOfBoth(t *testing.T, before, then, now world) {
	t.Helper()
	for serial, d := range before.tokens {
		got := now.tokens[serial]
		got.OwnerActive, got.OrganizationName = d.OwnerActive, d.OrganizationName // the others'
		equal(t, "token "+serial, got, d)
	}
	for _, side := range []world{before, then} {
		for serial := range side.tokens {
			if now.tokens[serial].ID == 0 {
				t.Errorf("token %s is gone", serial)
			}
		}
		for serial, c := range side.certificates {
			got, there := now.certificates[serial]
			switch {
			case !there:
				t.Errorf("certificate %s is gone", serial)
			case c.Status != cert.Revoked:
			case got.Status != cert.Revoked || got.RevokedAt.After(*c.RevokedAt),
				c.RevocationReason == "keyCompromise" && got.RevocationReason != "keyCompromise":
				t.Errorf("certificate %s was revoked (%s, %v), and is %+v", serial, c.RevocationReason, c.RevokedAt, got)
			}
		}
		for serial, r := range side.unrecorded {
			if got, there := now.unrecorded[serial]; !there || got.At.After(r.At) {
				t.Errorf("the revocation of %s was %+v, and is %+v", serial, r, got)
			}
		}
	}
	for serial, c := range now.certificates {
		changed := c.Status == cert.Revoked && (before.certificates[serial].Status != cert.Revoked ||
			before.certificates[serial].RevocationReason != c.RevocationReason)
		if (changed || before.unpublished[serial]) && !now.unpublished[serial] {
			t.Errorf("the revocation of %s is not to be published", serial)
		}
	}
}
