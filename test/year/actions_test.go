//go:build exhaustive

package year_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/test/must"
)

// actions are people's actions, with their relative frequencies. The owner is notified of
// a manager's actions, but not of their own.
var actions = []struct {
	often int
	do    func(w *world, k *token, r *rand.Rand)
}{
	{8, (*world).assign},
	{20, (*world).sign},
	{3, (*world).revoke},
	{1, (*world).take},
	{1, (*world).suspend},
	{2, (*world).bringBack},
	{1, (*world).reset},
	{1, (*world).lose},
	{2, (*world).choose},
	{3, (*world).disable},
	{4, (*world).hear},
}

// act performs one at random.
func (w *world) act(r *rand.Rand) {
	k := w.tokens[r.IntN(len(w.tokens))]
	sum := 0
	for _, d := range actions {
		sum += d.often
	}
	at := r.IntN(sum)
	for _, d := range actions {
		if at -= d.often; at < 0 {
			d.do(w, k, r)
			return
		}
	}
}

// clerk returns the manager of a token: one of its organization, or the admin.
func (w *world) clerk(k *token) *person {
	if k.of < 2 && !w.managers[k.of].disabled {
		return w.managers[k.of]
	}
	return w.admin
}

func (w *world) patch(by *person, k *token, p hwkey.Patch) {
	w.t.Helper()
	d := must.Get(w.keys.Update(w.t.Context(), by.Actor, w.scope(by, "update-hwkey"), k.serial, p))(w.t)
	k.status = d.Status
	if k.status.RevokesCertificates() {
		k.revoked(w.now())
	}
}

// assign assigns a token to somebody of its organization.
func (w *world) assign(k *token, r *rand.Rand) {
	next := w.people[r.IntN(len(w.people)/3)*3+k.of]
	if next == k.owner || next.disabled || k.status == hwkey.Lost || k.status == hwkey.Retired || k.status == hwkey.Suspended {
		return
	}
	id := &next.UserID
	w.leave(k)
	w.patch(w.clerk(k), k, hwkey.Patch{OwnerID: &id})
	k.owner = next
	w.expect(next, notify.TokenAssigned, k.serial)
}

// take removes a token's owner.
func (w *world) take(k *token, _ *rand.Rand) {
	if k.owner == nil || k.status == hwkey.Lost || k.status == hwkey.Retired || k.status == hwkey.Suspended {
		return
	}
	var nobody *int64
	w.leave(k)
	w.patch(w.clerk(k), k, hwkey.Patch{OwnerID: &nobody})
}

// leave notifies a token's owner that it was taken; its certificates end.
func (w *world) leave(k *token) {
	if k.owner != nil {
		w.expect(k.owner, notify.TokenTaken, k.serial)
	}
	k.owner, k.slots = nil, map[string][]*certificate{}
}

// sign has the owner get a certificate for a slot: the first, or a new one.
func (w *world) sign(k *token, r *rand.Rand) {
	if k.owner == nil || k.owner.disabled || !k.status.Signs() {
		return
	}
	slot := []string{"9a", "9c"}[r.IntN(2)]
	w.ca.ttl = time.Duration([]int{5, 20, 45, 90}[r.IntN(4)])*24*time.Hour + time.Duration(r.IntN(1440))*time.Minute
	request := must.Get(csrOf(k.owner.Username))(w.t)
	signed := must.Get(w.certs.Sign(w.t.Context(), k.owner.Actor, w.scope(k.owner, "sign-csr"), k.serial,
		cert.SignRequest{CSR: request, Slot: slot}))(w.t)
	c := signed.Certificate
	k.slots[slot] = append(k.slots[slot], &certificate{serial: c.SerialNumber, began: c.NotBefore, end: c.NotAfter, told: none})
}

// revoke has a manager or the owner revoke the newest certificate of a slot.
func (w *world) revoke(k *token, r *rand.Rand) {
	for _, slot := range []string{"9a", "9c"} {
		c := k.newest(slot)
		if c == nil || !c.end.After(w.now()) {
			continue
		}
		by := k.owner
		if by.disabled || r.IntN(2) == 0 {
			by = w.clerk(k)
			w.expect(k.owner, notify.CertificateRevoked, k.serial)
		}
		must.Get(w.certs.Revoke(w.t.Context(), by.Actor, w.scope(by, "revoke-certificate"), c.serial, "cessationOfOperation"))(w.t)
		k.slots[slot] = k.slots[slot][:len(k.slots[slot])-1]
		return
	}
}

// revoked removes all live certificates of a token; expired ones stay.
func (k *token) revoked(at time.Time) {
	for slot, list := range k.slots {
		k.slots[slot] = slices.DeleteFunc(list, func(c *certificate) bool { return c.end.After(at) })
	}
}

// newest returns a slot's newest unrevoked certificate; nil: none.
func (k *token) newest(slot string) *certificate {
	list := k.slots[slot]
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

func (w *world) status(k *token, to hwkey.Status) {
	w.patch(w.clerk(k), k, hwkey.Patch{Status: &to})
	if k.owner != nil {
		w.expect(k.owner, notify.TokenStatus, k.serial)
	}
}

func (w *world) suspend(k *token, _ *rand.Rand) {
	if k.status == hwkey.Assigned {
		w.status(k, hwkey.Suspended)
	}
}

func (w *world) bringBack(k *token, _ *rand.Rand) {
	switch {
	case k.status == hwkey.Suspended && k.owner != nil:
		w.status(k, hwkey.Assigned)
	case k.status == hwkey.Lost:
		w.status(k, hwkey.Suspended)
	}
}

func (w *world) lose(k *token, r *rand.Rand) {
	switch {
	case k.owner == nil || k.status == hwkey.Lost || k.status == hwkey.Retired:
	case k.owner.disabled, r.IntN(2) == 0:
		w.status(k, hwkey.Lost)
	default: // the owner does
		lost := hwkey.Lost
		w.patch(k.owner, k, hwkey.Patch{Status: &lost})
	}
}

// reset has a manager reset a token, which returns to stock.
func (w *world) reset(k *token, _ *rand.Rand) {
	if k.owner == nil || k.status == hwkey.Lost || k.status == hwkey.Retired {
		return
	}
	by := w.clerk(k)
	d := must.Get(w.keys.Reset(w.t.Context(), by.Actor, w.scope(by, "reset-hwkey"), k.serial, "ticket 4711"))(w.t)
	w.expect(k.owner, notify.TokenReset, k.serial)
	k.status = d.Status
	k.revoked(w.now())
	if d.OwnerID == nil {
		k.owner = nil
	}
}

// choose has somebody turn a kind's mail off or on.
func (w *world) choose(_ *token, r *rand.Rand) {
	p := w.anybody(r)
	if p.disabled {
		return
	}
	kinds := slices.Sorted(maps.Keys(choices))
	kind := kinds[r.IntN(len(kinds))]
	was, chose := p.choices[kind]
	if !chose {
		was = choices[kind]
	}
	p.choices[kind] = !was
	must.OK(w.t, w.db.PutPreferences(w.t.Context(), p.UserID, notify.Choosing{Mail: p.choices}))
}

// disable has the admin disable somebody, or enable somebody disabled.
func (w *world) disable(_ *token, r *rand.Rand) {
	p := w.anybody(r)
	if p == w.admin || !p.disabled && r.IntN(2) == 0 {
		return
	}
	active := p.disabled
	p.disabled = !active
	_, err := w.users.Update(w.t.Context(), w.admin.Actor, w.scope(w.admin, "update-user"), p.UserID, account.UserPatch{IsActive: &active})
	must.OK(w.t, err)
	if active { // disabling has ended the sessions
		w.signIn(p)
	}
}

// anybody returns a manager or the admin half of the time.
func (w *world) anybody(r *rand.Rand) *person {
	if list := append([]*person{w.admin}, w.managers...); r.IntN(2) == 0 {
		return list[r.IntN(len(list))]
	}
	return w.people[r.IntN(len(w.people))]
}
