package hwkey

import (
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// Owners that are no user's id.
const (
	nobody  = 0  // of a token that has none
	unknown = -1 // of a value of which no record tells any more who was given it: nobody's candidate
)

func ownerOf(id *int64) int64 {
	if id == nil {
		return nobody
	}
	return *id
}

// Reset makes fresh values current and keeps the former ones, of each field
// the newest. Repeated for the same owner with no enrolment between, it
// changes nothing: the fresh values are still fresh.
func (d Document) Reset(fresh map[piv.Field]secret.String, owner int64, now time.Time) (next Document, changed bool) {
	return d.renew(fresh, owner, keepSuperseded, now)
}

// renew is a reset that keeps so many former values of each field.
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

// TakeOver is the reset of a document that was there before its token was put
// on record: the database has been set back, or the row removed. Who was given
// the values of a token without owner is known no more, so an owner gets none
// of them: a card that holds one has to be reset. Without an owner they stay
// candidates, for whoever is given the token by mayBeGiven.
func (d Document) TakeOver(fresh map[piv.Field]secret.String, owner int64, now time.Time) (next Document, changed bool) {
	next, changed = d.Reset(fresh, owner, now)
	if owner == nobody {
		return next, changed
	}
	for _, v := range next.Fields {
		for i, p := range v.Superseded {
			if p.For == nobody {
				v.Superseded[i].For, changed = unknown, true
			}
		}
	}
	return next, changed
}

// HandTo gives a token into the hands of its present owner, or of nobody.
// Values that somebody else was given are renewed; fresh ones stay. It must
// not fail, since the owner has changed already: only beyond what holds back
// rotations is an oldest value let go.
func (d Document) HandTo(fresh map[piv.Field]secret.String, owner int64, now time.Time) (next Document, changed bool) {
	switch d.For {
	case owner:
		return d, false
	case nobody:
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
