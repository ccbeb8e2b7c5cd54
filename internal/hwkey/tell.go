package hwkey

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/piv"
)

// tellOwner is a message of the token to its owner, with what its words need besides
// the token and who did it; none where the owner did it, or there is no owner.
func (d Device) tellOwner(a access.Actor, kind notice.Kind, at time.Time, more notice.Params) []notice.Message {
	return d.tell(a, d.OwnerID, kind, at, more)
}

// tell is tellOwner to an account.
func (d Device) tell(a access.Actor, account *int64, kind notice.Kind, at time.Time, more notice.Params) []notice.Message {
	if account == nil || a.UserID == *account {
		return nil
	}
	params := notice.Params{"by": a.Username, "serial": d.Serial, "label": d.Label}
	maps.Copy(params, more)
	return []notice.Message{{To: notice.Audience{UserID: *account}, Kind: kind, Params: params, At: at}}
}

// tellReleased tells of a release of secrets, once an hour of the same person's.
func (d Device) tellReleased(a access.Actor, fields []piv.Field, reason string, at time.Time) []notice.Message {
	list := d.tellOwner(a, notice.SecretsReleased, at, notice.Params{"fields": piv.Names(fields), "reason": reason})
	for i := range list {
		list[i].Quiet = ReleaseWindow
	}
	return list
}

// newPIN tells whether a call that settled fields of a rotation set the token's PIN, and
// why. before is the document that the call found; wrote, that it changed it: else it is
// a repeated one, whose first the row may know nothing of.
func newPIN(before, after Document, id int64, fields []piv.Field, to Kind, wrote bool) (reason string, ok bool) {
	if to != Pending || len(fields) > 0 && !slices.Contains(fields, piv.PIN) {
		return "", false
	}
	if r := before.Rotation; wrote && r != nil && r.ID == id && r.Settled[piv.PIN] != "" {
		return "", false // by a call before
	}
	rotations := after.Closed
	if after.Rotation != nil {
		rotations = append([]Rotation{*after.Rotation}, rotations...)
	}
	i := slices.IndexFunc(rotations, func(r Rotation) bool { return r.ID == id })
	if i < 0 || rotations[i].Settled[piv.PIN] != Pending {
		return "", false
	}
	return rotations[i].Reason, true
}

// tooMany is what administrators are told of somebody who ran into the hourly cap.
func tooMany(a access.Actor, action audit.Action, limit int, at time.Time) notice.Message {
	return notice.Message{
		To: notice.Audience{OrganizationID: a.OrganizationID, Except: a.UserID}, Kind: notice.ReleaseLimit, At: at,
		Params: notice.Params{"by": a.Username, "limit": strconv.Itoa(limit), "action": string(action)},
	}
}
