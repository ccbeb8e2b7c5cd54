package store

import (
	"context"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// Setting implements settings.Store.
func (db *DB) Setting(ctx context.Context, name string) (settings.Value, error) {
	row, err := db.q().Setting(ctx, name)
	if none(err) {
		return settings.Value{}, fault.New(fault.NotFound, "no_setting", "There is no such setting.")
	}
	return settings.Value{Text: row.Value, UpdatedAt: moment(row.UpdatedAt)}, asFault("setting", err)
}

// PutSetting implements settings.Store.
func (db *DB) PutSetting(ctx context.Context, name string, v settings.Value, entries ...audit.Entry) error {
	return db.write(ctx, "put setting", func(ctx context.Context, t *tx) error {
		if err := t.writeSetting(ctx, name, v); err != nil {
			return err
		}
		return t.audit(ctx, entries...)
	})
}

// KeepSetting implements settings.Keeper.
func (db *DB) KeepSetting(ctx context.Context, name string, v settings.Value) (kept settings.Value, err error) {
	err = db.write(ctx, "keep setting", func(ctx context.Context, t *tx) error {
		kept, err = t.setting(ctx, name)
		if none(err) {
			kept = v
			return t.writeSetting(ctx, name, v)
		}
		return err
	})
	return kept, err
}

// setting returns sql.ErrNoRows if there is none.
func (t *tx) setting(ctx context.Context, name string) (settings.Value, error) {
	row, err := t.q.Setting(ctx, name)
	if err != nil {
		return settings.Value{}, err
	}
	return settings.Value{Text: row.Value, UpdatedAt: moment(row.UpdatedAt)}, nil
}

func (t *tx) writeSetting(ctx context.Context, name string, v settings.Value) error {
	return t.q.PutSetting(ctx, sqlcgen.PutSettingParams{Name: name, Value: v.Text, UpdatedAt: micros(v.UpdatedAt)})
}
