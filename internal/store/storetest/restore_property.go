//go:build exhaustive

package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/apikey"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/organization"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/test/must"
	"pgregory.net/rapid"
)

// RunRestoreHistories lets so many random histories happen, each in a database of its
// own: people, tokens and certificates come and change, backups are made, and restored
// later in any order. After each restore the union of both is there, and nobody can do
// more than just before. The histories are the same every time.
func RunRestoreHistories(t *testing.T, histories int, open func(t *testing.T) Restorable) {
	generator := rapid.SliceOfN(rapid.Custom(drawStep), 25, 40)
	for seed := range histories {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := &history{restored: newRestored(t, open), raised: map[string]int64{}}
			h.organizations = []int64{h.a.ID, h.b.ID}
			for _, u := range []user.User{h.admin, h.manager, h.alex, h.bea} {
				h.people = append(h.people, u.ID)
			}
			h.keep(t) // there is always one to restore
			for i, s := range generator.Example(seed) {
				h.do(t, i, s)
			}
			h.again(t, 0)
		})
	}
}

// step is something that happens: to which of those that are there, and how.
type step struct {
	what   string
	to, by int
	yes    bool
}

func drawStep(t *rapid.T) step {
	return step{
		what: rapid.SampledFrom([]string{
			"person", "person", "activity", "activity", "role", "move", "password", "name", "organization", "rename", "close", "lose",
			"token", "token", "label", "hand over", "certificate", "certificate", "certificate", "revoke", "revoke", "compromise",
			"unrecorded", "publish", "forget", "webhook", "webhook", "point", "point", "unhook", "sign in", "key",
			"backup", "backup", "restore", "restore",
		}).Draw(t, "what"),
		to: rapid.IntRange(0, 99).Draw(t, "to"), by: rapid.IntRange(0, 99).Draw(t, "by"), yes: rapid.Bool().Draw(t, "yes"),
	}
}

// history is what has happened so far.
type history struct {
	*restored

	organizations, people, idle, hooks []int64
	tokens, certificates, unrecorded   []string
	keys                               []apikey.Key
	sessions                           []signedIn
	backups                            []kept
	raised                             map[string]int64 // the highest ids that were given
	clock                              time.Duration
}

// kept is a backup, and what was there then.
type kept struct {
	Backup

	then world
}

func oneOf[T any](list []T, n int) T { return list[n%len(list)] }

// now goes on with each step.
func (h *history) now() time.Time {
	h.clock += time.Millisecond
	return Now.Add(h.clock)
}

// do lets one step happen; what cannot be, does not.
func (h *history) do(t *testing.T, i int, s step) {
	t.Helper()
	person := func(edit func(*user.User)) {
		id := oneOf(h.people, s.to)
		if id != h.admin.ID { // who restores
			_, _, _ = h.edit(t, user.User{ID: id}, func(u *user.User) {
				edit(u)
				u.PasswordChangedAt = u.PasswordChangedAt.Add(time.Millisecond)
			})
		}
	}
	name := fmt.Sprint("n", i)
	switch s.what {
	case "person":
		u, err := h.InsertUser(t.Context(), account(name, access.User, ptr(oneOf(h.organizations, s.by))), entry(audit.UserCreated, "user"))
		if err != nil {
			break // of an organization that is disabled
		}
		h.given("users", u.ID)
		if s.yes {
			h.people = append(h.people, u.ID)
		} else {
			h.idle = append(h.idle, u.ID)
		}
	case "lose": // an account that nothing refers to
		if len(h.idle) > 0 {
			id := oneOf(h.idle, s.to)
			h.Execute(t, fmt.Sprint("DELETE FROM logins WHERE user_id = ", id), fmt.Sprint("DELETE FROM users WHERE id = ", id))
		}
	case "activity":
		person(func(u *user.User) { u.IsActive = s.yes })
	case "role":
		person(func(u *user.User) {
			u.Role = oneOf([]access.Role{access.User, access.OrgManager}, s.by)
			if s.yes && s.by%3 == 0 {
				u.Role, u.OrganizationID = access.GlobalAdmin, nil
			} else if u.OrganizationID == nil {
				u.OrganizationID = &h.a.ID
			}
		})
	case "move":
		person(func(u *user.User) {
			if u.Role != access.GlobalAdmin {
				u.OrganizationID = ptr(oneOf(h.organizations, s.by))
			}
		})
	case "password":
		person(func(u *user.User) { u.PasswordHash = name })
	case "name":
		person(func(u *user.User) { u.Username, u.Email = name, name+"@example.org" })
	case "organization":
		o := h.organization(t, name)
		h.given("organizations", o.ID)
		h.organizations = append(h.organizations, o.ID)
	case "rename", "close":
		_, _ = h.tryOrganization(t, organization.Organization{ID: oneOf(h.organizations, s.to)}, func(o *organization.Organization) {
			if s.what == "close" {
				o.IsActive = s.yes
			} else {
				o.Name = oneOf([]string{"Acme", "Bolt", "Cup", "Dish"}, s.by)
			}
		})
	case "forget": // as a database that is older does
		if len(h.certificates) > 0 {
			h.Execute(t, fmt.Sprintf(`UPDATE certificates SET status = 'issued', revoked_at = NULL, revocation_reason = '', published_at = NULL
				WHERE serial_number = '%s'`, oneOf(h.certificates, s.to)))
		}
	case "webhook":
		h.hooks = append(h.hooks, h.hook(t, nil).ID)
	case "point", "unhook":
		if len(h.hooks) == 0 {
			break
		}
		id := oneOf(h.hooks, s.to)
		if s.what == "unhook" {
			_ = h.DeleteWebhook(t.Context(), access.All(), id, entry(audit.WebhookDeleted, "webhook"))
		} else {
			_, _ = h.UpdateWebhook(t.Context(), access.All(), id, webhook.Change{
				URL: ptr(fmt.Sprint("https://", s.by%3, ".example.org/")), IsActive: &s.yes}, entry(audit.WebhookUpdated, "webhook"))
		}
	case "sign in":
		h.sessions = append(h.sessions, h.signIn(t, h.admin))
	case "key":
		h.keys = append(h.keys, h.key(t, name, h.admin, nil))
	case "backup":
		h.keep(t)
	case "restore":
		h.again(t, s.to)
	default:
		h.fact(t, name, s)
	}
}

// fact is a step about tokens and certificates.
func (h *history) fact(t *testing.T, name string, s step) {
	t.Helper()
	switch s.what {
	case "token":
		u := must.Get(h.User(t.Context(), access.All(), oneOf(h.people, s.to)))(t)
		d := hwkey.Device{Serial: name, Status: hwkey.Assigned, OwnerID: &u.ID, OrganizationID: u.OrganizationID, RegisteredAt: Now}
		d, err := h.InsertDevice(t.Context(), d, entry(audit.HWKeyRegistered, "hwkey"))
		if err != nil {
			return // of somebody who is disabled
		}
		h.given("hwkeys", d.ID)
		h.tokens = append(h.tokens, name)
	case "unrecorded":
		must.OK(t, h.revokeUnrecorded(t, vault.Revocation{Serial: name, At: h.now(), Reason: vault.Superseded}, ""))
		h.unrecorded = append(h.unrecorded, name)
	case "publish":
		must.OK(t, h.MarkPublished(t.Context(), must.Get(h.UnpublishedRevocations(t.Context(), 0, 50))(t), h.now()))
	case "label", "hand over", "certificate":
		if len(h.tokens) == 0 {
			return
		}
		serial := oneOf(h.tokens, s.to)
		d := must.Get(h.Device(t.Context(), access.All(), serial))(t)
		switch s.what {
		case "label":
			h.editDevice(t, serial, func(d *hwkey.Device) { d.Label, d.SecretsCounter = name, d.SecretsCounter+1 })
		case "hand over":
			u := must.Get(h.User(t.Context(), access.All(), oneOf(h.people, s.by)))(t)
			_, _ = h.tryDevice(t, serial, func(d *hwkey.Device) { d.OwnerID, d.OrganizationID = &u.ID, u.OrganizationID })
		default:
			c := h.record(name, serial, func(c *cert.Certificate) {
				c.OwnerID, c.OrganizationID, c.OwnerUsername, c.OwnerEmail = d.OwnerID, d.OrganizationID, d.OwnerUsername, d.OwnerEmail
				c.NotAfter = after.Add(time.Hour)
			})
			if _, _, err := h.InsertCertificate(t.Context(), c, entry(audit.CertificateIssued, "certificate")); err == nil {
				h.certificates = append(h.certificates, name)
			}
		}
	case "revoke", "compromise":
		if len(h.certificates) == 0 {
			return
		}
		reason := vault.Superseded
		if s.what == "compromise" {
			reason = vault.KeyCompromise
		}
		_, _ = h.RevokeCertificate(t.Context(), oneOf(h.certificates, s.to), reason, h.now(), entry(audit.CertificateRevoked, "certificate"))
	default:
		t.Fatalf("no step %s", s.what)
	}
}

func (h *history) given(table string, id int64) { h.raised[table] = max(h.raised[table], id) }

func (h *history) keep(t *testing.T) {
	t.Helper()
	h.backups = append(h.backups, kept{h.Backup(t), h.world(t)})
}
