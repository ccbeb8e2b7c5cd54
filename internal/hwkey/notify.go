package hwkey

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/piv"
)

// notifyOwner returns a notice to the token's owner, with parameters besides the token
// and the actor; none if there is no owner or the owner is the actor.
func (d Device) notifyOwner(a access.Actor, kind notify.Kind, at time.Time, more notify.Params) []notify.Message {
	return d.notify(a, d.OwnerID, kind, at, more)
}

// notify is notifyOwner for another account.
func (d Device) notify(a access.Actor, account *int64, kind notify.Kind, at time.Time, more notify.Params) []notify.Message {
	if account == nil || a.UserID == *account {
		return nil
	}
	params := notify.Params{"by": a.Username, "serial": d.Serial, "label": d.Label}
	maps.Copy(params, more)
	return []notify.Message{{To: notify.Audience{UserID: *account}, Kind: kind, Params: params, At: at}}
}

// notifyReleased is the notice of a release, at most one per hour for the same actor.
func (d Device) notifyReleased(a access.Actor, fields []piv.Field, reason string, at time.Time) []notify.Message {
	list := d.notifyOwner(a, notify.SecretsReleased, at, notify.Params{"fields": piv.Names(fields), "reason": reason})
	for i := range list {
		list[i].Quiet = ReleaseWindow
	}
	return list
}

// newPIN reports whether a call that settled fields of a rotation set the token's
// PIN, and the rotation's reason. before is the document that the call found; wrote
// reports whether it changed it: otherwise it repeats a call that the row may have missed.
func newPIN(before, after custody.Document, id int64, fields []piv.Field, to custody.Kind, wrote bool) (reason string, ok bool) {
	if to != custody.Pending || len(fields) > 0 && !slices.Contains(fields, piv.PIN) {
		return "", false
	}
	if r := before.Rotation; wrote && r != nil && r.ID == id && r.Settled[piv.PIN] != "" {
		return "", false // by an earlier call
	}
	rotations := after.Closed
	if after.Rotation != nil {
		rotations = append([]custody.Rotation{*after.Rotation}, rotations...)
	}
	i := slices.IndexFunc(rotations, func(r custody.Rotation) bool { return r.ID == id })
	if i < 0 || rotations[i].Settled[piv.PIN] != custody.Pending {
		return "", false
	}
	return rotations[i].Reason, true
}

// tooMany is the notice to administrators about an actor who reached the hourly cap.
func tooMany(a access.Actor, action audit.Action, limit int, at time.Time) notify.Message {
	return notify.Message{
		To: notify.Audience{OrganizationID: a.OrganizationID, Except: a.UserID}, Kind: notify.ReleaseLimit, At: at,
		Params: notify.Params{"by": a.Username, "limit": strconv.Itoa(limit), "action": string(action)},
	}
}
