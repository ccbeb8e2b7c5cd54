package custody

import (
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// Owners that are not user IDs.
const (
	Nobody  = 0  // of a token without owner
	unknown = -1 // of a value given to someone unknown: no one's candidate
)

// OwnerOf is the ID of an owner as documents have it.
func OwnerOf(id *int64) int64 {
	if id == nil {
		return Nobody
	}
	return *id
}

// Reset makes fresh values current and keeps the newest former ones of each field.
// Repeated for the same owner without an enrolment in between, it changes nothing:
// the values are still fresh.
func (d Document) Reset(fresh map[piv.Field]secret.String, owner int64, now time.Time) (next Document, changed bool) {
	return d.renew(fresh, owner, keepSuperseded, now)
}

// renew is a reset that keeps kept former values of each field.
func (d Document) renew(fresh map[piv.Field]secret.String, owner int64, kept int, now time.Time) (next Document, changed bool) {
	d = d.clone()
	if d.ResetOpen && d.For == owner && d.Rotation == nil {
		return d, d.expectFactory()
	}
	if r := d.Rotation; r != nil {
		for _, f := range r.Fields {
			if _, done := r.Settled[f]; !done {
				r.Settled[f] = Current
			}
		}
		d.Closed = append([]Rotation{*r}, d.Closed...)
		d.Closed = d.Closed[:min(len(d.Closed), maxClosed)]
		d.Rotation = nil
	}
	for _, f := range piv.Fields {
		v := d.Fields[f]
		former, pending := v.Current, v.Pending
		v.Current, v.Pending = fresh[f], secret.String{}
		if !pending.Empty() {
			v.supersede(pending, d.For)
		}
		v.supersede(former, d.For)
		v.keep(kept)
		v.Factory, v.First, v.Fruitless = true, Factory, 0
		d.Fields[f] = v
	}
	d.ResetOpen, d.For, d.ChangedAt = true, owner, now
	return d, true
}

// TakeOver resets a document that existed before its token was registered: the
// database was restored to an older state, or the row deleted. It is unknown who was
// given the values of a token without owner, so an owner gets none of them: a card
// that holds one must be reset. Without an owner they remain candidates, for the
// next owner under the rules of mayBeGiven.
func (d Document) TakeOver(fresh map[piv.Field]secret.String, owner int64, now time.Time) (next Document, changed bool) {
	next, changed = d.Reset(fresh, owner, now)
	if owner == Nobody {
		return next, changed
	}
	for _, v := range next.Fields {
		for i, p := range v.Superseded {
			if p.For == Nobody {
				v.Superseded[i].For, changed = unknown, true
			}
		}
	}
	return next, changed
}

// HandTo hands a token to its new owner, or to nobody. Values given to someone else
// are renewed; fresh ones stay. It must not fail, since the owner has already
// changed: only beyond the limit that blocks rotations does it drop the oldest values.
func (d Document) HandTo(fresh map[piv.Field]secret.String, owner int64, now time.Time) (next Document, changed bool) {
	switch d.For {
	case owner:
		return d, false
	case Nobody:
		d = d.clone()
		d.For = owner
		return d, true
	default:
		return d.renew(fresh, owner, maxSuperseded, now)
	}
}

// expectFactory puts the factory value first for every field.
func (d Document) expectFactory() (changed bool) {
	for f, v := range d.Fields {
		changed = changed || !v.Factory || v.First != Factory || v.Fruitless > 0
		v.Factory, v.First, v.Fruitless = true, Factory, 0
		d.Fields[f] = v
	}
	return changed
}
