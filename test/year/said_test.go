//go:build exhaustive

package year_test

import (
	"math/rand/v2"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/test/must"
)

// said are the kinds that nothing else in the year causes. The store is notified as by
// the services, whose own tests cover the causes.
var said = struct{ account, token, manager, admin []notify.Kind }{
	account: []notify.Kind{
		notify.AgentPaired, notify.AgentReplaced, notify.AccountLocked, notify.PasswordChanged, notify.PasswordReset, notify.EmailChanged,
		notify.Invitation,
	},
	token:   []notify.Kind{notify.TokenUnblocked, notify.SecretsReleased, notify.CertificateIssued, notify.TokenSetUp},
	manager: []notify.Kind{notify.ReleaseLimit},
	admin:   []notify.Kind{notify.AuditSealBroken, notify.StoresDisagree},
}

// hear adds a notice of one of these kinds about a token or its owner, for whom it is
// intended.
func (w *world) hear(k *token, r *rand.Rand) {
	all := [][]notify.Kind{said.account, said.token, said.manager, said.admin}
	group := r.IntN(len(all))
	kind := all[group][r.IntN(len(all[group]))]
	var to notify.Audience
	var people []*person
	switch organization := &w.organizations[k.of].ID; {
	case group < 2 && k.owner == nil:
		return
	case group < 2:
		to, people = notify.Audience{UserID: k.owner.UserID}, []*person{k.owner}
	case group == 2:
		to, people = notify.Audience{OrganizationID: organization}, []*person{w.admin}
		for _, p := range w.managers {
			if *p.OrganizationID == *organization {
				people = append(people, p)
			}
		}
	default:
		people = []*person{w.admin}
	}
	at, by := w.now().UTC().Format(time.RFC3339), "admin"
	if kind == notify.TokenSetUp {
		by = "desk" // of whom no other message is, that would go with it
	}
	entry := audit.By(access.Actor{}, audit.SettingsChanged, "hwkey", k.serial, "said")
	must.OK(w.t, w.db.AppendAudit(w.t.Context(), entry.Notifying(notify.Message{To: to, Kind: kind, At: w.now(), Params: notify.Params{
		"serial": k.serial, "by": by, "ip": "192.0.2.1", "until": at, "expires_at": at, "attempts": "5", "code": "7KQM-2XHP",
		"former": "former@example.org", "fields": "pin,puk", "slot": "9a", "limit": "20", "older": "vault", "reason": "ticket 4711",
		"action": "hwkey.secrets_released", "certificate": "0a1b2c", "attested": "true", "organization": "Northwind",
	}})))
	for _, p := range people {
		w.expect(p, kind, k.serial)
	}
}
