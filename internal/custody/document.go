package custody

import (
	"slices"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// Kind is a value's role in custody.
type Kind string

// The kinds. NoMatch is reported by a probe that found no match.
const (
	Current    Kind = "current"
	Pending    Kind = "pending"
	Superseded Kind = "superseded"
	Factory    Kind = "factory"
	NoMatch    Kind = "none"
)

const (
	keepSuperseded = 8   // newest values of a field that a reset keeps
	maxSuperseded  = 256 // no rotation starts at this many: none is dropped to make room
	maxCandidates  = 3   // a PIN has three tries
	maxClosed      = 8   // closed rotations kept to answer a repeated commit
)

// Values is the custody of one field.
type Values struct {
	Current    secret.String
	Pending    secret.String // empty when no rotation of this field is open
	Superseded []Past        // likeliest first
	Factory    bool          // the factory value may be on the card: until enrolment
	First      Kind          // what the last observation found; empty: Current
	Fruitless  int           // probes in a row that found no match
}

// Past is a former value that a card may still hold.
type Past struct {
	Value secret.String
	For   int64 // its owner; nobody's may be anyone's, an unknown person's is no one's
	Age   int   // higher is newer; the list has another order
}

// Rotation is an open or closed change of one or more fields.
type Rotation struct {
	ID        int64
	Fields    []piv.Field
	Settled   map[piv.Field]Kind // Current: aborted, Pending: committed
	CreatedAt time.Time
	StartedBy int64 // user ID
	Holder    string
	Reason    string // why it was started; may be empty
}

// Open reports whether a field is left to settle.
func (r Rotation) Open() bool { return len(r.Settled) < len(r.Fields) }

// Document is a token's document in the vault.
type Document struct {
	Fields         map[piv.Field]Values
	Rotation       *Rotation // the open one
	Closed         []Rotation
	LastRotationID int64
	ChangedAt      time.Time
	For            int64 // the only owner who may know the current values, or nobody
	ResetOpen      bool  // there was a reset and no enrolment since
	// Counter increases with every write and never restarts, even if the path was
	// destroyed and created again; 0 if a version without counters wrote the document.
	// The token's row remembers it.
	Counter int64
}

// Candidate is a value for a probe to try.
type Candidate struct {
	Kind  Kind
	Value secret.String
}

// NewDocument holds fresh values for a token with factory values.
func NewDocument(fresh map[piv.Field]secret.String, owner int64, now time.Time) Document {
	d := Document{Fields: map[piv.Field]Values{}, For: owner, ChangedAt: now}
	for _, f := range piv.Fields {
		d.Fields[f] = Values{Current: fresh[f], Factory: true}
	}
	return d
}

// Candidates returns what a probe should try, likeliest first: at most three, at
// most one of them superseded, so that an observation names one value. Another
// owner's value is never a candidate: a card that holds one must be reset.
func (d Document) Candidates(f piv.Field) []Candidate {
	v := d.Fields[f]
	list := []Candidate{{Current, v.Current}}
	if !v.Pending.Empty() {
		list = append(list, Candidate{Pending, v.Pending})
	}
	if v.Factory {
		list = append(list, Candidate{Factory, f.Factory()})
	}
	if i := d.past(f); i >= 0 {
		list = append(list, Candidate{Superseded, v.Superseded[i].Value})
	}
	first := v.First
	if v.Fruitless%2 == 1 { // the last ones tried were all wrong: begin at the other end
		first = list[len(list)-1].Kind
	}
	if i := slices.IndexFunc(list, func(c Candidate) bool { return c.Kind == first }); i > 0 {
		c := list[i]
		list = slices.Insert(slices.Delete(list, i, i+1), 0, c)
	}
	return list[:min(len(list), maxCandidates)]
}

// Doubted reports whether the last probe found no candidate on the card. A probe
// should still try them, but not use up PIN tries that the person may need.
func (d Document) Doubted(f piv.Field) bool { return d.Fields[f].Fruitless > 0 }

// past returns the index of the first superseded value that is a candidate, or -1.
func (d Document) past(f piv.Field) int {
	return slices.IndexFunc(d.Fields[f].Superseded, func(p Past) bool { return p.For == Nobody || p.For == d.For })
}

// Start opens a rotation. RotationPending if one is open.
func (d Document) Start(fields []piv.Field, next map[piv.Field]secret.String, by int64, holder string, now time.Time) (Document, error) {
	if d.Rotation != nil {
		return d, rotationPending(*d.Rotation)
	}
	for _, f := range fields {
		switch v := d.Fields[f]; {
		case v.Current.Equal(next[f]):
			return d, fault.Invalid(fault.Wrong(string(f), "unchanged", "must differ from the current one"))
		case len(v.Superseded) >= maxSuperseded:
			return d, fault.New(fault.Conflict, "secrets_full",
				"This token's secrets were changed too often since its last reset. Reset the token, then set it up again.")
		}
	}
	d = d.clone()
	d.LastRotationID++
	d.Rotation = &Rotation{
		ID: d.LastRotationID, Fields: slices.Clone(fields), Settled: map[piv.Field]Kind{},
		CreatedAt: now, StartedBy: by, Holder: holder,
	}
	for _, f := range fields {
		v := d.Fields[f]
		v.Pending = next[f]
		d.Fields[f] = v
	}
	return d, nil
}

func rotationPending(r Rotation) error {
	return fault.Newf(fault.RotationPending, "",
		"A change of this token's secrets was interrupted. Continue it: settle what the token has, then commit or abort it.",
		fault.Params{"holder": r.Holder, "rotation_id": r.ID}).
		WithExtra("rotation_id", r.ID).WithExtra("holder", r.Holder)
}

// Settle closes fields of a rotation: Pending commits, Current aborts. No fields
// means all unsettled ones. Repeating it changes nothing; settling a field the other
// way is a Conflict. changed reports whether there is something to write.
func (d Document) Settle(id int64, fields []piv.Field, to Kind, now time.Time) (next Document, changed bool, err error) {
	if d.Rotation == nil || d.Rotation.ID != id {
		return d, false, d.settledBefore(id, fields, to)
	}
	d = d.clone()
	r := d.Rotation
	if len(fields) == 0 {
		for _, f := range r.Fields {
			if _, done := r.Settled[f]; !done {
				fields = append(fields, f)
			}
		}
	}
	for _, f := range fields {
		done, settled := r.Settled[f]
		switch {
		case !slices.Contains(r.Fields, f):
			return d, false, fault.Invalid(fault.Wrong("fields", "not_in_rotation", "must name fields of this rotation"))
		case settled && done != to:
			return d, false, settledOtherwise()
		case settled:
			continue
		}
		d.Fields[f] = d.Fields[f].settle(to, d.For)
		r.Settled[f] = to
		changed = true
	}
	if !r.Open() {
		d.Rotation = nil
		d.Closed = append([]Rotation{*r}, d.Closed...)
		d.Closed = d.Closed[:min(len(d.Closed), maxClosed)]
	}
	if changed && to == Pending {
		d.ChangedAt = now
	}
	return d, changed, nil
}

func settledOtherwise() error {
	return fault.New(fault.Conflict, "settled_otherwise",
		"This field was already settled differently. Probe the token and report what it has as an observation.")
}

// settledBefore answers for a rotation that is not open: nil if it was settled the same way.
func (d Document) settledBefore(id int64, fields []piv.Field, to Kind) error {
	i := slices.IndexFunc(d.Closed, func(r Rotation) bool { return r.ID == id })
	if i < 0 {
		return fault.New(fault.NotFound, "no_rotation", "There is no such rotation of this token.")
	}
	r := d.Closed[i]
	if len(fields) == 0 {
		fields = r.Fields
	}
	for _, f := range fields {
		done, ok := r.Settled[f]
		if !ok {
			return fault.Invalid(fault.Wrong("fields", "not_in_rotation", "must name fields of this rotation"))
		}
		if done != to {
			return settledOtherwise()
		}
	}
	return nil
}

func (v Values) settle(to Kind, owner int64) Values {
	if to == Pending {
		former := v.Current
		v.Current = v.Pending
		v.supersede(former, owner)
	} else {
		v.supersede(v.Pending, owner)
	}
	v.Pending, v.First, v.Fruitless = secret.String{}, Current, 0
	return v
}

// supersede puts a value first among the superseded, which have no duplicates and
// not the current value.
func (v *Values) supersede(s secret.String, owner int64) {
	newest := 0
	for _, p := range v.Superseded {
		newest = max(newest, p.Age)
	}
	rest := slices.DeleteFunc(slices.Clone(v.Superseded), func(p Past) bool { return p.Value.Equal(s) || p.Value.Equal(v.Current) })
	if !s.Equal(v.Current) {
		rest = append([]Past{{s, owner, newest + 1}}, rest...)
	}
	v.Superseded = rest
}

// keep drops all superseded values except the newest n; the rest keep their order.
func (v *Values) keep(n int) {
	if len(v.Superseded) <= n {
		return
	}
	newest := slices.SortedFunc(slices.Values(v.Superseded), func(a, b Past) int { return b.Age - a.Age })
	oldest := newest[n-1].Age
	v.Superseded = slices.DeleteFunc(v.Superseded, func(p Past) bool { return p.Age < oldest })
}

func (d Document) clone() Document {
	fields := make(map[piv.Field]Values, len(d.Fields))
	for f, v := range d.Fields {
		v.Superseded = slices.Clone(v.Superseded)
		fields[f] = v
	}
	d.Fields = fields
	d.Closed = slices.Clone(d.Closed)
	if d.Rotation != nil {
		r := *d.Rotation
		r.Settled = make(map[piv.Field]Kind, len(d.Rotation.Settled))
		for f, k := range d.Rotation.Settled {
			r.Settled[f] = k
		}
		d.Rotation = &r
	}
	return d
}

// InOrder drops duplicates and sorts fields in the order in which a card is changed.
func InOrder(fields []piv.Field) []piv.Field {
	out := []piv.Field{}
	for _, f := range piv.Fields {
		for _, g := range fields {
			if f == g {
				out = append(out, f)
				break
			}
		}
	}
	return out
}
