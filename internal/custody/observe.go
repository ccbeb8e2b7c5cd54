package custody

import (
	"slices"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// Observe records what a probe found outside a rotation and puts it first.
//
//   - current: as expected.
//   - superseded: the superseded candidate becomes current, and the former
//     current superseded.
//   - factory: the card was reset; the factory value is a candidate again.
//   - none: no candidate matched; those not tried come first next time.
//   - pending: rejected; only a rotation has pending values, and commit settles it.
func (d Document) Observe(f piv.Field, matched Kind) (next Document, changed bool, err error) {
	before := d.Fields[f]
	d = d.clone()
	v := d.Fields[f]
	v.Fruitless = 0
	i := d.past(f)
	switch matched {
	case Current:
		v.First = Current
	case Superseded:
		if i < 0 {
			return d, false, fault.Invalid(fault.Wrong("matched", "no_superseded", "names a superseded value, and there is none"))
		}
		former, found := v.Current, v.Superseded[i].Value
		v.Current, v.First = found, Current
		v.supersede(former, d.For)
	case Factory:
		v.Factory, v.First = true, Factory
	case NoMatch:
		v.Fruitless = before.Fruitless + 1
		if slices.ContainsFunc(d.Candidates(f), func(c Candidate) bool { return c.Kind == Superseded }) {
			tried := v.Superseded[i]
			v.Superseded = append(slices.Delete(v.Superseded, i, i+1), tried)
		}
	case Pending:
		if d.Rotation == nil {
			return d, false, fault.Invalid(fault.Wrong("matched", "no_pending", "names a pending value, and there is none"))
		}
		return d, false, rotationPending(*d.Rotation)
	default:
		return d, false, fault.Invalid(fault.NotOneOf("matched", Current, Pending, Superseded, Factory, NoMatch))
	}
	d.Fields[f] = v
	changed = matched == Superseded || v.First != before.First || v.Factory != before.Factory || v.Fruitless != before.Fruitless
	return d, changed, nil
}

// Enrolled records that the card took all three current values.
func (d Document) Enrolled() (next Document, changed bool, err error) {
	if d.Rotation != nil {
		return d, false, rotationPending(*d.Rotation)
	}
	d = d.clone()
	changed = d.ResetOpen
	for f, v := range d.Fields {
		changed = changed || v.Factory || (v.First != Current && v.First != "") || v.Fruitless > 0
		v.Factory, v.First, v.Fruitless = false, Current, 0
		d.Fields[f] = v
	}
	d.ResetOpen = false
	return d, changed, nil
}
