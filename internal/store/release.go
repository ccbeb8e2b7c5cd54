package store

import (
	"context"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// ReserveRelease implements hwkey.Store.
func (db *DB) ReserveRelease(ctx context.Context, r hwkey.Reservation) error {
	var refusal error // told after the commit of what it is audited with
	err := db.write(ctx, "reserve release", func(ctx context.Context, t *tx) (err error) {
		refusal, err = t.reserveRelease(ctx, r)
		return err
	})
	if err != nil {
		return err
	}
	return refusal
}

func (t *tx) reserveRelease(ctx context.Context, r hwkey.Reservation) (refusal, err error) {
	told, err := t.LockReleaseLimit(ctx, r.ActorID)
	if err != nil {
		return nil, err
	}
	began := micros(r.At.Add(-hwkey.ReleaseWindow))
	err = t.DeleteOldReleaseWindows(ctx, sqlcgen.DeleteOldReleaseWindowsParams{ActorID: r.ActorID, Until: began})
	if err != nil {
		return nil, err
	}
	tokens, err := t.ReleaseWindows(ctx, r.ActorID)
	if err != nil {
		return nil, err
	}
	has := slices.ContainsFunc(tokens, func(w sqlcgen.ReleaseWindowsRow) bool { return w.HwkeyID == r.DeviceID })
	if has || len(tokens) < r.Limit {
		return nil, t.PutReleaseWindow(ctx, sqlcgen.PutReleaseWindowParams{ActorID: r.ActorID, HwkeyID: r.DeviceID, At: micros(r.At)})
	}
	// There may be more than the limit, if it was higher: so many must go
	// that one place gets free.
	free := moment(tokens[len(tokens)-r.Limit].At).Add(hwkey.ReleaseWindow)
	refusal = fault.Newf(fault.RateLimited, "releases",
		"Within an hour, one person gets the secrets of at most {max} tokens of others. Go on later.", fault.Params{"max": r.Limit}).
		After(free.Sub(r.At))
	if err := t.audit(ctx, r.Denied); err != nil {
		return nil, err
	}
	if told > began {
		return refusal, nil
	}
	if err := t.notify(ctx, r.Told); err != nil {
		return nil, err
	}
	return refusal, t.SetReleaseLimitTold(ctx, sqlcgen.SetReleaseLimitToldParams{At: micros(r.At), ActorID: r.ActorID})
}

// RecordRelease implements hwkey.Store.
func (db *DB) RecordRelease(ctx context.Context, r hwkey.Released, entry audit.Entry) error {
	return db.write(ctx, "record release", func(ctx context.Context, t *tx) error {
		if err := t.released(ctx, r); err != nil {
			return err
		}
		return t.audit(ctx, entry)
	})
}

func (t *tx) released(ctx context.Context, r hwkey.Released) error {
	return t.InsertRelease(ctx, sqlcgen.InsertReleaseParams{
		At: micros(r.At), ActorID: r.ActorID, Serial: r.Serial, OrganizationID: r.OrganizationID, Own: r.Own, Reason: r.Reason,
	})
}

// DeleteReleases implements hwkey.Store.
func (db *DB) DeleteReleases(ctx context.Context, before time.Time, limit int) (n int64, err error) {
	err = db.write(ctx, "delete releases", func(ctx context.Context, t *tx) error {
		n, err = t.DeleteReleasesBefore(ctx, sqlcgen.DeleteReleasesBeforeParams{Before: micros(before), MaxRows: int32(min(limit, 1<<30))})
		return err
	})
	return n, err
}
