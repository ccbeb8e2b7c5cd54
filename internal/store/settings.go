package store

import (
	"context"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/settings"
)

// Setting implements settings.Store.
func (db *DB) Setting(ctx context.Context, name string) (settings.Value, error) {
	v, err := queryOne(ctx, db.read, func(row scanner) (v settings.Value, err error) {
		var at int64
		err = row.Scan(&v.Text, &at)
		v.UpdatedAt = moment(at)
		return v, err
	}, "SELECT value, updated_at FROM settings WHERE name = $1", name)
	if none(err) {
		return settings.Value{}, fault.New(fault.NotFound, "no_setting", "There is no such setting.")
	}
	return v, asFault("setting", err)
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

func (t *tx) writeSetting(ctx context.Context, name string, v settings.Value) error {
	_, err := t.sql.ExecContext(ctx, `INSERT INTO settings (name, value, updated_at) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value, updated_at = EXCLUDED.updated_at`,
		name, v.Text, micros(v.UpdatedAt))
	return err
}
