package hwkey

import (
	"context"
	"crypto/rsa"
	"slices"
	"strings"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/textinput"
)

// ReleaseRequest says what to release.
type ReleaseRequest struct {
	Fields     []piv.Field // PIN is always added
	Candidates bool
	Reason     string
}

// Secrets releases a token's secrets to the actor's agent. The release is recorded,
// in the database and in the vault, before anything is sealed.
func (s *Service) Secrets(
	ctx context.Context, a access.Actor, scope access.Scope, serial string, r ReleaseRequest,
) (backend.SecretsAnswer, error) {
	var none backend.SecretsAnswer
	g, err := s.mayRelease(ctx, a, scope, serial, r.Reason)
	if err != nil {
		return none, err
	}
	d, state, err := s.load(ctx, scope, g.device)
	if err != nil {
		return none, err
	}
	fields := r.Fields
	if !slices.Contains(fields, piv.PIN) {
		fields = append([]piv.Field{piv.PIN}, fields...)
	}
	g.entry.Notify = d.notifyReleased(a, fields, g.entry.Reason, s.Now())
	kind := ""
	if r.Candidates {
		kind = "candidates"
	}
	sealer, err := s.record(ctx, g, d, state, fields, kind)
	if err != nil {
		return none, err
	}
	return sealer.Secrets(state, r.Candidates)
}

// Releases compares the token's release log with the audit log. NotFound outside scope.
func (s *Service) Releases(ctx context.Context, scope access.Scope, serial string) (intentlog.ReleaseStatus, error) {
	d, err := s.Store.Device(ctx, scope, serial)
	if err != nil {
		return intentlog.ReleaseStatus{}, err
	}
	return s.ReleaseLog.Check(ctx, d.Serial)
}

// record records a release and returns what seals its values. The row learns in the
// same transaction that there was one, and the version of the document, if it doesn't
// know it: the write after a move was lost, or the move came with this release.
func (s *Service) record(
	ctx context.Context, g grant, d Device, state custody.State, fields []piv.Field, kind string,
) (*custody.Sealer, error) {
	r := intentlog.Release{Serial: d.Serial, Fields: fields, Session: g.session, Key: g.key, Entry: g.entry, Kind: kind}
	entry, err := r.AuditEntry()
	if err != nil {
		return nil, err
	}
	var edit func(*Device)
	if g.entry.Action == audit.RotationStarted || d.SecretsVersion != state.Version || !d.SecretsReleased {
		at := s.Now()
		edit = func(present *Device) {
			present.show(state)
			present.SecretsReleased = true
			if g.entry.Action == audit.RotationStarted {
				present.LastSeenAt = &at
			}
		}
	}
	written, err := s.Store.RecordRelease(state.Recording(ctx), d.Serial, entry, edit)
	if err != nil {
		return nil, err
	}
	return custody.NewSealer(ctx, s.ReleaseLog, r, written)
}

// load reads a token's document, and hands it to the token's current owner first if
// necessary: the database says who owns a token, the vault follows. As the caller's
// device may be older than the document, load rereads it before.
func (s *Service) load(ctx context.Context, scope access.Scope, d Device) (Device, custody.State, error) {
	state, err := s.Custody.Load(ctx, d.Serial)
	if err == nil {
		err = s.present(ctx, d, state)
	}
	if err != nil || state.Document.For == custody.OwnerOf(d.OwnerID) {
		return d, state, err
	}
	now, err := s.Store.Device(ctx, scope, d.Serial)
	if err != nil {
		return d, custody.State{}, err
	}
	if !access.SameID(now.OwnerID, d.OwnerID) {
		return d, custody.State{}, handedOver()
	}
	state, err = s.handTo(ctx, now)
	return now, state, err
}

// grant is a permitted release: to which agent key, and the audit entry to write
// before anything is released.
type grant struct {
	actor   access.Actor
	device  Device
	session int64
	key     *rsa.PublicKey
	entry   audit.Entry
}

// mayRelease checks all conditions for releasing secrets, takes a place under the
// hourly cap, and prepares the audit entry.
func (s *Service) mayRelease(ctx context.Context, a access.Actor, scope access.Scope, serial, reason string) (grant, error) {
	d, err := s.Store.Device(ctx, scope, serial)
	if err != nil {
		return grant{}, err
	}
	if reason, err = CheckReason(reason); err != nil {
		return grant{}, err
	}
	isOwn := d.OwnedBy(a)
	if err := d.usableBy(a); err != nil {
		return grant{}, err
	}
	if !isOwn && reason == "" {
		return grant{}, ReasonNeeded()
	}
	if s.ReleaseBlocked != nil {
		if err := s.ReleaseBlocked(ctx); err != nil {
			return grant{}, err
		}
	}
	key, err := s.Agents.AgentKey(ctx, a.SessionID)
	if err != nil {
		return grant{}, err
	}
	if !isOwn {
		if err := s.reserve(ctx, a, d, reason); err != nil {
			return grant{}, err
		}
	}
	return grant{
		actor: a, device: d, session: a.SessionID, key: key,
		entry: d.entry(a, audit.SecretsReleased, "").Because(reason),
	}, nil
}

// ReasonNeeded is the error for a missing reason for someone else's token.
func ReasonNeeded() error {
	return fault.Invalid(fault.Wrong("reason", "reason_needed",
		"is required for a token that is not your own; it appears in the audit log"))
}

// CheckReason trims a reason and checks that it can go into the audit log as is.
func CheckReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if !textinput.ValidLine(reason, 256) {
		return "", fault.Invalid(fault.BadText("reason", 256))
	}
	return reason, nil
}

// show updates the row's projection of a document, unless the row has a later one:
// the updates after two moves may come in any order.
func (d *Device) show(state custody.State) {
	later := state.Version > d.SecretsVersion
	if state.Document.Counter > 0 {
		later = state.Document.Counter > d.SecretsCounter
	}
	if later {
		d.showAnew(state)
	}
}

// showAnew is show for a document whose versions may have restarted from one.
func (d *Device) showAnew(state custody.State) {
	d.SecretsVersion, d.RotationPending, d.SecretsChangedAt = state.Version, state.Document.Rotation != nil, &state.Document.ChangedAt
	d.SecretsCounter = max(d.SecretsCounter, state.Document.Counter)
}

// follow updates the row's projection of a document, and writes the changes of edit.
func (s *Service) follow(ctx context.Context, serial string, state custody.State, edit func(*Change)) (Device, error) {
	return s.Store.ChangeDevice(state.Recording(ctx), access.All(), serial, nil, func(present Present) (Change, error) {
		c := Change{Device: present.Device}
		c.Device.show(state)
		edit(&c)
		return c, nil
	})
}

// note is follow with the move's entry, filed in the token's organization at that time.
func (s *Service) note(ctx context.Context, serial string, state custody.State, entry audit.Entry) (Device, error) {
	return s.noteNotifying(ctx, serial, state, entry, func(Device) []notify.Message { return nil })
}

// noteNotifying is note with notices about the token as it is then.
func (s *Service) noteNotifying(
	ctx context.Context, serial string, state custody.State, entry audit.Entry, tell func(Device) []notify.Message,
) (Device, error) {
	at := s.Now()
	return s.follow(ctx, serial, state, func(c *Change) {
		c.Device.LastSeenAt = &at
		c.Entries = []audit.Entry{entry.In(c.Device.OrganizationID).Notifying(tell(c.Device)...)}
	})
}
