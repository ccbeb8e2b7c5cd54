package hwkey

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/textinput"
)

const (
	importBatch  = 256 // rows per transaction; others wait for it
	importAtOnce = 128 // concurrent writes to the vault: they share commits
)

// placed is what an owner and an organization named in a file resolve to.
type placed struct {
	ownerNamed        *int64 // the account named
	organizationNamed *int64
	bad               []fault.Field // names no one the actor manages
	owner             string        // username of a new token's owner, or empty
	ownerID           *int64        // of a new token
	organizationID    *int64
	refused           []fault.Field // why a new token cannot be placed there
}

// find resolves the names of an owner and an organization, each pair once.
func (im *importing) find(ctx context.Context, owner, home string) (placed, error) {
	key := [2]string{owner, home}
	if p, ok := im.places[key]; ok {
		return p, nil
	}
	var p placed
	if home != "" {
		o, err := im.Directory.OrganizationByName(ctx, im.scope, home)
		switch {
		case fault.Is(err, fault.NotFound):
			p.bad = append(p.bad, account.UnknownOrganization("organization"))
		case err != nil:
			return placed{}, err
		default:
			p.organizationNamed = &o.ID
		}
	}
	if owner != "" {
		u, err := im.Directory.UserByLogin(ctx, owner)
		switch {
		case fault.Is(err, fault.NotFound), err == nil && !im.scope.Allows(u.OrganizationID, &u.ID):
			if err == nil {
				im.beyondOwners = append(im.beyondOwners, textinput.Fold(owner))
			}
			p.bad = append(p.bad, fault.Wrongf("owner", "unknown_login",
				"{login} is not the username or email of a user you manage", fault.Params{"login": owner}))
		case err != nil:
			return placed{}, err
		default:
			p.ownerNamed = &u.ID
		}
	}
	if len(p.bad) == 0 {
		if err := im.placeNew(ctx, &p); err != nil {
			return placed{}, err
		}
	}
	im.places[key] = p
	return p, nil
}

// placeNew determines where a new token belongs, by the rules of Register.
func (im *importing) placeNew(ctx context.Context, p *placed) error {
	owner, organizationID, err := im.home(ctx, im.actor, im.scope, p.ownerNamed, p.organizationNamed)
	if f, ok := fault.As(err); ok && f.Code == fault.InvalidRequest {
		for _, bad := range f.Fields {
			bad.Field = strings.TrimSuffix(bad.Field, "_id") // the columns' names
			p.refused = append(p.refused, bad)
		}
		return nil
	}
	if err != nil {
		return err
	}
	p.organizationID = organizationID
	if owner != nil {
		p.owner, p.ownerID = owner.Username, &owner.ID
	}
	return nil
}

// create writes the rows to be created, in batches: first a batch's secrets into the
// vault, then its rows.
func (im *importing) create(ctx context.Context) error {
	rows := slices.DeleteFunc(slices.Clone(im.rows), func(p *planned) bool { return p.outcome != WasCreated })
	for batch := range slices.Chunk(rows, importBatch) {
		failed := im.secure(ctx, batch)
		secured := slices.DeleteFunc(slices.Clone(batch), func(p *planned) bool { return p.version == 0 })
		// Record what the vault has taken, even if the client has gone or the vault failed
		// for the rest.
		if err := im.insert(context.WithoutCancel(ctx), secured); err != nil {
			return err
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}

// secure creates the secrets of a batch. A row that the vault refuses fails; an
// error is one of the vault itself.
func (im *importing) secure(ctx context.Context, batch []*planned) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(importAtOnce)
	for _, p := range batch {
		group.Go(func() error {
			version, err := im.Custody.Create(ctx, p.serial(), p.place.ownerID)
			if f, ok := fault.As(err); ok && f.Code == fault.Conflict {
				p.fail(fault.Wrong("serial", "secrets_deleted", "has deleted secrets in the vault; undelete or destroy them there first"))
				return nil
			}
			if err == nil {
				p.version = version
			}
			return err
		})
	}
	return group.Wait()
}

func (im *importing) insert(ctx context.Context, batch []*planned) error {
	if len(batch) == 0 {
		return nil
	}
	devices := make([]NewDevice, len(batch))
	for i, p := range batch {
		devices[i] = im.device(p)
	}
	outcomes, err := im.Store.InsertDevices(ctx, devices)
	if err != nil {
		return err
	}
	for i, p := range batch {
		if err := im.inserted(ctx, p, outcomes[i]); err != nil {
			return err
		}
	}
	return nil
}

func (im *importing) device(p *planned) NewDevice {
	now := im.Now()
	r := p.registration()
	d := Device{
		Serial: r.Serial, Label: r.Label, Model: r.Model, FirmwareVersion: r.FirmwareVersion, FormFactor: r.FormFactor,
		Status: InStock, OrganizationID: p.place.organizationID, RegisteredAt: now,
		SecretsVersion: p.version, SecretsChangedAt: &now, SecretsReleased: p.version > 1,
	}
	details := "in stock"
	if p.place.ownerID != nil {
		d.Status, d.OwnerID = Assigned, p.place.ownerID
		details = "assigned to " + p.place.owner
	}
	told := d.notifyOwner(im.actor, notify.TokenAssigned, now, nil)
	return NewDevice{d, d.entry(im.actor, audit.HWKeyImported, details).Notifying(told...)}
}

// inserted records the result of a row's insert. If someone else has registered the
// token since the plan was made, the row is compared with that token.
func (im *importing) inserted(ctx context.Context, p *planned, outcome error) error {
	f, ok := fault.As(outcome)
	switch {
	case outcome == nil:
		return nil
	case ok && f.Code == fault.Conflict:
		d, err := im.Store.Device(ctx, access.All(), p.serial())
		if fault.Is(err, fault.NotFound) { // it was about the owner
			p.fail(fault.Wrong("owner", "just_changed", "has just been changed; import the file again"))
			return nil
		}
		if err != nil {
			return err
		}
		return im.settle(ctx, p, &d)
	case ok && f.Code == fault.InvalidRequest:
		for _, bad := range f.Fields {
			bad.Field = strings.TrimSuffix(bad.Field, "_id")
			p.fail(bad)
		}
		return nil
	}
	return outcome
}
