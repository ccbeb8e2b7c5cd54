package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

var _ rollback.Database = (*DB)(nil)

// VaultMarks implements rollback.Marks.
func (db *DB) VaultMarks(ctx context.Context) (map[string]rollback.Mark, error) {
	rows, err := db.q().VaultMarks(ctx)
	if err != nil {
		return nil, asFault("vault marks", err)
	}
	marks := map[string]rollback.Mark{}
	for _, row := range rows {
		marks[row.Name] = rollback.Mark{Value: uint64(row.Value), Settled: uint64(row.Settled)} // #nosec G115 -- as they were noted
	}
	return marks, nil
}

// RaiseVaultMark implements rollback.Marks.
func (db *DB) RaiseVaultMark(ctx context.Context, name string, value uint64) error {
	return db.write(ctx, "raise vault mark", func(ctx context.Context, t *tx) error {
		return t.q.RaiseVaultMark(ctx, sqlcgen.RaiseVaultMarkParams{Name: name, Value: int64(value)}) // #nosec G115 -- a count
	})
}

// AgeVaultMarks implements rollback.Marks.
func (db *DB) AgeVaultMarks(ctx context.Context, atOnce bool) error {
	return db.write(ctx, "age vault marks", func(ctx context.Context, t *tx) error {
		if atOnce {
			return t.q.SettleVaultMarks(ctx)
		}
		return t.q.AgeVaultMarks(ctx)
	})
}

// SwapSetting implements settings.Swapper.
func (db *DB) SwapSetting(ctx context.Context, name string, was, v settings.Value) (swapped bool, err error) {
	err = db.write(ctx, "swap setting", func(ctx context.Context, t *tx) error {
		swapped, err = t.swapSetting(ctx, name, was, v)
		return err
	})
	return swapped, err
}

// SwapAudited implements settings.ViewStore.
func (db *DB) SwapAudited(
	ctx context.Context, name string, was, v settings.Value, entries ...audit.Entry,
) (swapped bool, err error) {
	err = db.write(ctx, "swap setting", func(ctx context.Context, t *tx) error {
		if swapped, err = t.swapSetting(ctx, name, was, v); err != nil || !swapped {
			return err
		}
		return t.audit(ctx, entries...)
	})
	return swapped, err
}

// swapSetting stores v if was is still the stored value; the zero Value means none.
func (t *tx) swapSetting(ctx context.Context, name string, was, v settings.Value) (bool, error) {
	now, err := t.setting(ctx, name)
	if err != nil && !none(err) {
		return false, err
	}
	if now.Text != was.Text || !now.UpdatedAt.Equal(was.UpdatedAt) {
		return false, nil
	}
	return true, t.writeSetting(ctx, name, v)
}

// AcceptVault implements rollback.Database.
func (db *DB) AcceptVault(ctx context.Context, a rollback.VaultAcceptance) error {
	return db.write(ctx, "accept vault", func(ctx context.Context, t *tx) error {
		for _, name := range slices.Sorted(maps.Keys(a.Marks)) {
			mark := sqlcgen.ReplaceVaultMarkParams{Name: name, Value: int64(a.Marks[name])} // #nosec G115 -- a count
			if err := t.q.ReplaceVaultMark(ctx, mark); err != nil {
				return err
			}
		}
		if err := t.q.ForgetSecretsCounters(ctx); err != nil {
			return err
		}
		if err := t.writeSetting(ctx, a.Setting, settings.Value{Text: "null", UpdatedAt: a.At}); err != nil {
			return err
		}
		return t.audit(ctx, a.Entry)
	})
}

// errNoSpare: there is no such administrator, whose account would stay enabled.
var errNoSpare = fault.New(fault.NotFound, "no_administrator",
	"This database has no such active global administrator. Name another, or create one first: keyward admin create-admin.")

// endAll ends all sessions with their refresh families, and revokes all API keys; it returns the
// numbers of sessions and keys.
func (t *tx) endAll(ctx context.Context, at int64) (sessions, keys int64, err error) {
	if sessions, err = t.q.EndAllSessions(ctx, at); err != nil {
		return 0, 0, err
	}
	if keys, err = t.q.RevokeAllKeys(ctx, &at); err != nil {
		return 0, 0, err
	}
	return sessions, keys, t.q.RevokeAllFamilies(ctx, &at)
}

// AcceptDatabase implements rollback.Database.
func (db *DB) AcceptDatabase(ctx context.Context, a rollback.DatabaseAcceptance) error {
	return db.writeInTurn(ctx, "accept database", (*sqlcgen.Queries).LockAccounts, func(ctx context.Context, t *tx) error {
		at, disabled := micros(a.At), int64(0)
		if a.Disable {
			id, err := t.q.LoginOwner(ctx, fold(a.Spare))
			if none(err) {
				return errNoSpare
			}
			if err != nil {
				return err
			}
			u, err := t.userByID(ctx, id)
			if err != nil {
				return err
			}
			if u.Role != access.GlobalAdmin || u.MaySignIn() != nil {
				return errNoSpare
			}
			if disabled, err = t.q.DisableOthers(ctx, sqlcgen.DisableOthersParams{At: at, Spared: id}); err != nil {
				return err
			}
		}
		sessions, keys, err := t.endAll(ctx, at)
		if err != nil {
			return err
		}
		for _, remove := range []func(context.Context) error{t.q.DeleteAllInvitations, t.q.DeleteAllStates, t.q.DeleteAllCodes} {
			if err := remove(ctx); err != nil {
				return err
			}
		}
		err = t.q.DropMail(ctx, sqlcgen.DropMailParams{At: &at, Class: string(mail.Outdated), Kept: string(notify.StoresDisagree)})
		if err != nil {
			return err
		}
		entry := a.Entry // this may run again
		entry.Details += fmt.Sprintf("; %d sessions ended, %d API keys revoked, %d accounts disabled", sessions, keys, disabled)
		return t.audit(ctx, entry)
	})
}
