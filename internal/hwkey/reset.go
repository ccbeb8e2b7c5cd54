package hwkey

import (
	"time"

	"github.com/keyward/keyward/internal/envelope"
	"github.com/keyward/keyward/internal/secret"
)

// nobody is the owner of a token that has none. No user has this id.
const nobody = 0

func ownerOf(id *int64) int64 {
	if id == nil {
		return nobody
	}
	return *id
}

// Reset makes fresh values current and keeps the former ones. Repeated for
// the same owner with no enrolment between, it changes nothing: the fresh
// values are still fresh.
func (d Document) Reset(fresh map[envelope.Field]secret.String, owner int64, now time.Time) (next Document, changed bool) {
	d = d.clone()
	if d.ResetOpen && d.For != nil && *d.For == owner && d.Rotation == nil {
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
	for _, f := range envelope.Fields {
		v := d.Fields[f]
		if !v.Pending.Empty() {
			v.supersede(v.Pending)
		}
		v.supersede(v.Current)
		v.Current, v.Pending = fresh[f], secret.String{}
		v.Factory, v.First, v.Fruitless = true, Factory, 0
		d.Fields[f] = v
	}
	d.ResetOpen, d.For, d.ChangedAt = true, &owner, now
	return d, true
}

// HandTo prepares a token for its first owner, or for one after a time in
// nobody's hands. Values that somebody else was given are renewed.
func (d Document) HandTo(fresh map[envelope.Field]secret.String, owner int64, now time.Time) (next Document, changed bool) {
	switch {
	case d.For == nil || *d.For == owner:
		return d, false
	case *d.For == nobody:
		d = d.clone()
		d.For = &owner
		return d, true
	default:
		return d.Reset(fresh, owner, now)
	}
}

// MayKnow tells whether the current values may be given to that owner. While
// a token changes hands, the vault knows it before the database does.
func (d Document) MayKnow(owner int64) bool { return d.For == nil || *d.For == owner }

// expectFactory puts the factory value first for every field.
func (d Document) expectFactory() (changed bool) {
	for f, v := range d.Fields {
		changed = changed || !v.Factory || v.First != Factory || v.Fruitless > 0
		v.Factory, v.First, v.Fruitless = true, Factory, 0
		d.Fields[f] = v
	}
	return changed
}

func sameID(a, b *int64) bool {
	return (a == nil) == (b == nil) && (a == nil || *a == *b)
}
