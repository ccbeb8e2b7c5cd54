package hwkey

import (
	"context"
	"fmt"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// RotationRequest opens a rotation.
type RotationRequest struct {
	Fields []piv.Field
	PIN    secret.String // chosen by the user; empty for a random one
	Reason string
}

// StartRotation makes the next values pending in the vault, durably, and only then releases them.
func (s *Service) StartRotation(
	ctx context.Context, a access.Actor, scope access.Scope, serial string, r RotationRequest,
) (backend.Rotation, error) {
	fields := custody.InOrder(r.Fields)
	next, err := nextValues(fields, r.PIN)
	if err != nil {
		return backend.Rotation{}, err
	}
	g, err := s.mayRelease(ctx, a, scope, serial, r.Reason)
	if err != nil {
		return backend.Rotation{}, err
	}
	d, _, err := s.load(ctx, scope, g.device)
	if err != nil {
		return backend.Rotation{}, err
	}
	state, err := s.move(ctx, d, func(doc custody.Document) (custody.Document, bool, error) {
		doc, err := doc.Start(fields, next, a.UserID, a.Username, s.Now())
		if err == nil {
			doc.Rotation.Reason = g.entry.Reason
		}
		return doc, err == nil, err
	})
	if err != nil {
		return backend.Rotation{}, err
	}
	g.entry.Action = audit.RotationStarted
	return s.openRotation(ctx, g, d, state)
}

func nextValues(fields []piv.Field, chosen secret.String) (map[piv.Field]secret.String, error) {
	if len(fields) == 0 {
		return nil, fault.Invalid(fault.Wrong("fields", "no_fields", "must name at least one of pin, puk, management_key"))
	}
	next := map[piv.Field]secret.String{}
	for _, f := range fields {
		v, err := custody.Generate(f)
		if err != nil {
			return nil, err
		}
		next[f] = v
	}
	if chosen.Empty() {
		return next, nil
	}
	if _, ok := next[piv.PIN]; !ok {
		return nil, fault.Invalid(fault.Wrong("pin", "pin_not_named", "is given, but fields does not name pin"))
	}
	if err := custody.CheckChosenPIN(chosen); err != nil {
		return nil, err
	}
	next[piv.PIN] = chosen
	return next, nil
}

// openRotation records the release of a rotation's values and seals them.
func (s *Service) openRotation(ctx context.Context, g grant, d Device, state custody.State) (backend.Rotation, error) {
	r := state.Document.Rotation
	g.entry.Notify = d.notifyReleased(g.actor, r.Fields, g.entry.Reason, s.Now())
	sealer, err := s.record(ctx, g, d, state, r.Fields, fmt.Sprintf("rotation %d", r.ID))
	if err != nil {
		return backend.Rotation{}, err
	}
	return sealer.Rotation(state)
}

// Rotation returns the open rotation again, to anyone allowed to release the
// secrets. NotFound if it is not open.
func (s *Service) Rotation(
	ctx context.Context, a access.Actor, scope access.Scope, serial string, id int64, reason string,
) (backend.Rotation, error) {
	g, err := s.mayRelease(ctx, a, scope, serial, reason)
	if err != nil {
		return backend.Rotation{}, err
	}
	d, state, err := s.load(ctx, scope, g.device)
	if err != nil {
		return backend.Rotation{}, err
	}
	if r := state.Document.Rotation; r == nil || r.ID != id {
		return backend.Rotation{}, fault.New(fault.NotFound, "rotation_closed", "This rotation is not open. Start another.")
	}
	return s.openRotation(ctx, g, d, state)
}

// mayUse returns a token whose custody the actor may change without seeing a secret.
func (s *Service) mayUse(ctx context.Context, a access.Actor, scope access.Scope, serial string) (Device, error) {
	d, err := s.Store.Device(ctx, scope, serial)
	if err != nil {
		return d, err
	}
	return d, d.usableBy(a)
}

// usableBy returns PermissionDenied for the owner of a token that is out of use.
func (d Device) usableBy(a access.Actor) error {
	if d.OwnedBy(a) && !d.Status.OwnerMayUse() {
		return fault.Newf(fault.PermissionDenied, "hwkey_out_of_use",
			"This token is {status}. Ask an administrator what to do.", fault.Params{"status": d.Status})
	}
	return nil
}

// OwnedBy reports whether the actor owns the token; an API key owns none.
func (d Device) OwnedBy(a access.Actor) bool { return d.OwnerID != nil && *d.OwnerID == a.UserID }

// move is Custody.Move for a document that still belongs to the owner that the caller saw.
func (s *Service) move(ctx context.Context, d Device, move func(custody.Document) (custody.Document, bool, error)) (custody.State, error) {
	return s.moveFrom(ctx, d, func(state custody.State) (custody.Document, bool, error) { return move(state.Document) })
}

// moveFrom is move for moves that also depend on the document's version.
func (s *Service) moveFrom(ctx context.Context, d Device, move func(custody.State) (custody.Document, bool, error)) (custody.State, error) {
	return s.Custody.Move(ctx, d.Serial, func(state custody.State) (custody.Document, bool, error) {
		if err := s.present(ctx, d, state); err != nil {
			return state.Document, false, err
		}
		if err := heldFor(d, state.Document); err != nil {
			return state.Document, false, err
		}
		return move(atLeast(d, state))
	})
}

// heldFor returns Conflict if the document's owner is not the token's.
func heldFor(d Device, doc custody.Document) error {
	if doc.For != custody.OwnerOf(d.OwnerID) {
		return handedOver()
	}
	return nil
}

func handedOver() error {
	return fault.New(fault.Conflict, "owner_changed", "The token's owner has just changed. Reload the token.")
}

// SettleRotation commits (to Pending) or aborts (to Current) fields of a rotation,
// by what the card was found to hold.
func (s *Service) SettleRotation(
	ctx context.Context, a access.Actor, scope access.Scope, serial string, id int64, fields []piv.Field, to custody.Kind,
) (Device, error) {
	d, err := s.mayUse(ctx, a, scope, serial)
	if err != nil {
		return Device{}, err
	}
	wrote := false
	var before custody.Document
	state, err := s.move(ctx, d, func(doc custody.Document) (custody.Document, bool, error) {
		before = doc
		doc, changed, err := doc.Settle(id, custody.InOrder(fields), to, s.Now())
		wrote = changed
		return doc, changed, err
	})
	if err != nil {
		return Device{}, err
	}
	if !wrote && d.SecretsVersion == state.Version {
		return d, nil // repeated, and the row is up to date
	}
	action := audit.RotationCommitted
	if to == custody.Current {
		action = audit.RotationAborted
	}
	details := fmt.Sprintf("rotation %d, fields %s", id, piv.Names(custody.InOrder(fields)))
	if len(fields) == 0 {
		details = fmt.Sprintf("rotation %d, all fields that were left", id)
	}
	at := s.Now()
	return s.noteNotifying(ctx, d.Serial, state, audit.By(a, action, "hwkey", d.Serial, details), func(present Device) []notify.Message {
		reason, ok := newPIN(before, state.Document, id, fields, to, wrote)
		if !ok {
			return nil
		}
		return present.notifyOwner(a, notify.TokenUnblocked, at, notify.Params{"reason": reason})
	})
}

// Observation is what a probe found outside a rotation.
type Observation struct {
	Field   piv.Field
	Matched custody.Kind
	// Version is that of the document the candidates came from; 0 if the client does not say.
	Version int
}

// Observe records what a probe found outside a rotation. If the secrets have changed
// since the candidates were read, the probe says nothing about them: SecretsChanged,
// unless the report would change nothing.
func (s *Service) Observe(ctx context.Context, a access.Actor, scope access.Scope, serial string, o Observation) (Device, error) {
	d, err := s.mayUse(ctx, a, scope, serial)
	if err != nil {
		return Device{}, err
	}
	state, err := s.moveFrom(ctx, d, func(state custody.State) (custody.Document, bool, error) {
		next, changed, err := state.Document.Observe(o.Field, o.Matched)
		if changed && o.Version != 0 && o.Version != state.Version {
			return next, false, fault.New(fault.SecretsChanged, "",
				"The token's secrets have changed since you read them. Read them again, and probe what the token has.").
				WithExtra("version", state.Version)
		}
		return next, changed, err
	})
	if err != nil {
		return Device{}, err
	}
	details := fmt.Sprintf("the card's %s matched %s", o.Field, o.Matched)
	return s.note(ctx, d.Serial, state, audit.By(a, audit.SecretsObserved, "hwkey", d.Serial, details))
}
