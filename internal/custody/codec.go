package custody

import (
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// wireDocument is the document's encoding in the vault. Later versions and restores
// read it, so fields may be added, but never changed or removed.
type wireDocument struct {
	PIN            wireValues     `json:"pin"`
	PUK            wireValues     `json:"puk"`
	ManagementKey  wireValues     `json:"management_key"`
	Rotation       *wireRotation  `json:"rotation,omitzero"`
	Closed         []wireRotation `json:"closed_rotations,omitzero"`
	LastRotationID int64          `json:"last_rotation_id"`
	ChangedAt      time.Time      `json:"changed_at"`
	ResetOpen      bool           `json:"reset_open,omitzero"`
	For            int64          `json:"for"`
	Counter        int64          `json:"counter,omitzero"`
}

type wireValues struct {
	Current    string     `json:"current"`
	Pending    string     `json:"pending,omitzero"`
	Superseded []wirePast `json:"superseded,omitzero"`
	Factory    bool       `json:"factory,omitzero"`
	First      Kind       `json:"first,omitzero"`
	Fruitless  int        `json:"fruitless,omitzero"`
}

type wirePast struct {
	Value string `json:"value"`
	For   int64  `json:"for,omitzero"`
	Age   int    `json:"age"`
}

type wireRotation struct {
	ID        int64              `json:"id"`
	Fields    []piv.Field        `json:"fields"`
	Settled   map[piv.Field]Kind `json:"settled"`
	CreatedAt time.Time          `json:"created_at"`
	StartedBy int64              `json:"started_by"`
	Holder    string             `json:"holder"`
	Reason    string             `json:"reason,omitzero"`
}

func toWire(v Values) wireValues {
	w := wireValues{Current: v.Current.Reveal(), Pending: v.Pending.Reveal(), Factory: v.Factory, First: v.First, Fruitless: v.Fruitless}
	for _, p := range v.Superseded {
		w.Superseded = append(w.Superseded, wirePast{p.Value.Reveal(), p.For, p.Age})
	}
	return w
}

func fromWire(w wireValues) Values {
	v := Values{Current: secret.New(w.Current), Pending: secret.New(w.Pending), Factory: w.Factory, First: w.First, Fruitless: w.Fruitless}
	for _, p := range w.Superseded {
		v.Superseded = append(v.Superseded, Past{secret.New(p.Value), p.For, p.Age})
	}
	return v
}

func encode(d Document) (vault.Data, error) {
	w := wireDocument{
		PIN: toWire(d.Fields[piv.PIN]), PUK: toWire(d.Fields[piv.PUK]),
		ManagementKey:  toWire(d.Fields[piv.ManagementKey]),
		LastRotationID: d.LastRotationID, ChangedAt: d.ChangedAt.UTC(),
		ResetOpen: d.ResetOpen, For: d.For, Counter: d.Counter,
	}
	if d.Rotation != nil {
		r := wireRotation(*d.Rotation)
		w.Rotation = &r
	}
	for _, r := range d.Closed {
		w.Closed = append(w.Closed, wireRotation(r))
	}
	return vault.Encode(w)
}

// decode is the inverse of encode. Its errors name no value.
func decode(data vault.Data) (Document, error) {
	var w wireDocument
	if err := data.Decode(&w); err != nil {
		return Document{}, fmt.Errorf("decode secrets document: %w", err)
	}
	d := Document{
		Fields: map[piv.Field]Values{
			piv.PIN: fromWire(w.PIN), piv.PUK: fromWire(w.PUK), piv.ManagementKey: fromWire(w.ManagementKey),
		},
		LastRotationID: w.LastRotationID, ChangedAt: w.ChangedAt, ResetOpen: w.ResetOpen, For: w.For, Counter: w.Counter,
	}
	for f, v := range d.Fields {
		if v.Current.Empty() {
			return Document{}, fmt.Errorf("decode secrets document: no current %s", f)
		}
	}
	if w.Rotation != nil {
		r := Rotation(*w.Rotation)
		if r.Settled == nil {
			r.Settled = map[piv.Field]Kind{}
		}
		d.Rotation = &r
	}
	for _, r := range w.Closed {
		d.Closed = append(d.Closed, Rotation(r))
	}
	return d, nil
}
