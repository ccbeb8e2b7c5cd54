package custody

import (
	"errors"
	"slices"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// CheckDocument checks that data is a valid document. Its error names no value.
func CheckDocument(data vault.Data) error {
	d, err := decode(data)
	if err != nil {
		return err
	}
	rotations := d.Closed
	if d.Rotation != nil {
		rotations = append(rotations, *d.Rotation)
	}
	for _, r := range rotations {
		for f, k := range r.Settled {
			if !slices.Contains(r.Fields, f) || k != Current && k != Pending {
				return errors.New("decode secrets document: a rotation that is settled otherwise than one can be")
			}
		}
		if slices.ContainsFunc(r.Fields, func(f piv.Field) bool { return !slices.Contains(piv.Fields, f) }) {
			return errors.New("decode secrets document: a rotation of a field that there is not")
		}
	}
	return nil
}

// Restored merges a token's document from a backup with the vault's present one (nil
// if none) in a restore. The one with the higher counter, or the present one if
// equal, stays; what only the other holds becomes superseded, since the card may
// hold either. With stranger, the present one is another installation's: the
// backup's stays, and no owner here gets the other's values. Repeated with its
// result, it changes nothing. Its errors name no value.
func Restored(backup, present vault.Data, stranger bool) (data vault.Data, changed bool, err error) {
	from, err := decode(backup)
	if err != nil {
		return nil, false, err
	}
	if present == nil {
		from.Counter++
		data, err = encode(from)
		return data, true, err
	}
	there, err := decode(present)
	if err != nil {
		return nil, false, err
	}
	if stranger {
		there = there.disown()
	}
	var next Document
	if there.Counter >= from.Counter && !stranger {
		next = there.with(from)
	} else {
		next = from.with(there)
		for f, v := range next.Fields { // the card may have been reset since the backup
			v.Factory = v.Factory || there.Fields[f].Factory
			next.Fields[f] = v
		}
	}
	next.Counter = max(from.Counter, there.Counter)
	if data, err = encode(next); err != nil || data.Same(present) {
		return present, false, err
	}
	next.Counter++
	data, err = encode(next)
	return data, true, err
}

// disown returns the document with all values as former ones of unknown owners.
func (d Document) disown() Document {
	d = d.clone()
	d.For, d.LastRotationID = unknown, 0
	for f, v := range d.Fields {
		last := []secret.String{v.Pending, v.Current}
		v.Pending, v.Current = secret.String{}, secret.String{}
		for _, s := range last {
			if !s.Empty() {
				v.supersede(s, unknown)
			}
		}
		for i := range v.Superseded {
			v.Superseded[i].For = unknown
		}
		d.Fields[f] = v
	}
	return d
}

// with adds every value of the token's other document that this one lacks, as
// superseded: the other's current and pending values as the newest, its former ones
// as the oldest. A field keeps the newest maxSuperseded.
func (d Document) with(other Document) Document {
	d = d.clone()
	d.LastRotationID = max(d.LastRotationID, other.LastRotationID)
	for _, f := range piv.Fields {
		v, o := d.Fields[f], other.Fields[f]
		last := []Past{{Value: o.Current, For: other.For}, {Value: o.Pending, For: other.For}}
		former := slices.SortedStableFunc(slices.Values(o.Superseded), func(a, b Past) int { return b.Age - a.Age })
		d.Fields[f] = v.with(d.heirs(last), d.heirs(former))
	}
	return d
}

// heirs sets the owners of another document's values in this one. A value without
// owner may have been given to anyone since, so an owner does not get it (TakeOver).
func (d Document) heirs(values []Past) []Past {
	for i, p := range values {
		if p.For == Nobody && d.For != Nobody {
			values[i].For = unknown
		}
	}
	return values
}

// with takes over the values that another document has as its latest, and its former
// ones, newest first.
func (v Values) with(last, former []Past) Values {
	v.narrow(last)
	v.narrow(former)
	own := v.Superseded
	last = v.lacks(last)
	v.Superseded = slices.Concat(last, own)
	former = v.lacks(former)
	if len(last)+len(former) == 0 {
		return v
	}
	v.Superseded = append(v.Superseded, former...)
	byAge := slices.Concat(last, slices.SortedFunc(slices.Values(own), func(a, b Past) int { return b.Age - a.Age }), former)
	byAge = byAge[:min(len(byAge), maxSuperseded)]
	v.Superseded = slices.DeleteFunc(v.Superseded, func(p Past) bool { return !slices.ContainsFunc(byAge, p.is) })
	for i, p := range v.Superseded {
		v.Superseded[i].Age = len(byAge) - slices.IndexFunc(byAge, p.is)
	}
	return v
}

func (p Past) is(other Past) bool { return p.Value.Equal(other.Value) }

// narrow updates the owners of former values from another document: one that two
// owners had is no one's candidate.
func (v Values) narrow(known []Past) {
	for i, own := range v.Superseded {
		for _, p := range known {
			switch {
			case p.For <= Nobody || p.For == own.For || !own.Value.Equal(p.Value):
			case own.For == Nobody:
				v.Superseded[i].For = p.For
			default:
				v.Superseded[i].For = unknown
			}
		}
	}
}

// lacks returns those of the values that the field does not hold, without duplicates.
func (v Values) lacks(values []Past) (lacking []Past) {
	for _, p := range values {
		if !p.Value.Empty() && !p.Value.Equal(v.Current) && !p.Value.Equal(v.Pending) &&
			!slices.ContainsFunc(v.Superseded, p.is) && !slices.ContainsFunc(lacking, p.is) {
			lacking = append(lacking, p)
		}
	}
	return lacking
}
