package store

import (
	"context"
	"errors"
	"slices"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// ReserveRelease implements hwkey.Store.
func (db *DB) ReserveRelease(ctx context.Context, r hwkey.Reservation) error {
	var refusal error // returned once its audit entry is committed
	err := db.write(ctx, "reserve release", func(ctx context.Context, t *tx) (err error) {
		refusal, err = t.takeReleasePlace(ctx, r)
		return err
	})
	if err != nil {
		return err
	}
	return refusal
}

func (t *tx) takeReleasePlace(ctx context.Context, r hwkey.Reservation) (refusal, err error) {
	told, err := t.q.LockReleaseLimit(ctx, r.ActorID)
	if err != nil {
		return nil, err
	}
	began := micros(r.At.Add(-hwkey.ReleaseWindow))
	err = t.q.DeleteOldReleaseWindows(ctx, sqlcgen.DeleteOldReleaseWindowsParams{ActorID: r.ActorID, Until: began})
	if err != nil {
		return nil, err
	}
	tokens, err := t.q.ReleaseWindows(ctx, r.ActorID)
	if err != nil {
		return nil, err
	}
	has := slices.ContainsFunc(tokens, func(w sqlcgen.ReleaseWindowsRow) bool { return w.HwkeyID == r.DeviceID })
	if has || len(tokens) < r.Limit {
		return nil, t.q.PutReleaseWindow(ctx, sqlcgen.PutReleaseWindowParams{ActorID: r.ActorID, HwkeyID: r.DeviceID, At: micros(r.At)})
	}
	// There may be more than the limit, if it was higher: so many must expire before a place is
	// free.
	free := moment(tokens[len(tokens)-r.Limit].At).Add(hwkey.ReleaseWindow)
	refusal = fault.Newf(fault.RateLimited, "releases",
		"You can get the secrets of at most {max} other people's tokens per hour. Continue later.", fault.Params{"max": r.Limit}).
		After(free.Sub(r.At))
	if err := t.audit(ctx, r.Denied); err != nil {
		return nil, err
	}
	if told > began {
		return refusal, nil
	}
	if err := t.notify(ctx, r.Notice); err != nil {
		return nil, err
	}
	return refusal, t.q.SetReleaseLimitTold(ctx, sqlcgen.SetReleaseLimitToldParams{At: micros(r.At), ActorID: r.ActorID})
}

// RecordRelease implements hwkey.Store.
func (db *DB) RecordRelease(
	ctx context.Context, serial string, entry audit.Entry, edit func(*hwkey.Device),
) (written audit.Entry, err error) {
	err = db.write(ctx, "record release", func(ctx context.Context, t *tx) (err error) {
		if len(entry.Notify) > 0 && entry.ActorID != nil { // of two at once, the second sees what the first told
			if _, err := t.q.LockReleaseLimit(ctx, *entry.ActorID); err != nil {
				return err
			}
		}
		e := entry
		if edit != nil {
			present, err := t.standing(ctx, access.All(), serial, nil)
			if err != nil {
				return err
			}
			d := present.Device
			edit(&d)
			if err := t.updateDevice(ctx, d.ID, d); err != nil {
				return err
			}
			e = e.In(d.OrganizationID)
		}
		written, err = t.auditOne(ctx, e)
		return err
	})
	if errors.Is(err, errNotTaken) { // reading it back finds that the log lacks it
		return audit.Entry{}, nil
	}
	return written, err
}
