package store

import (
	"context"
	"fmt"

	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// RestoreVault writes, before the vault's part of a restore without a database, what Restore writes
// in its transaction: the setting, the entry, and the end of all sessions and API keys. A resumed
// restore writes only the setting. backup.ErrLost, and nothing is written, if the job is another
// server's by now.
func (db *DB) RestoreVault(ctx context.Context, o restore.Options, goesOn bool) error {
	return db.writeInTurn(ctx, "restore vault", (*sqlcgen.Queries).LockAccounts, func(ctx context.Context, t *tx) error {
		if err := t.beatRestore(ctx, o.Job, o.Runner); err != nil {
			return err
		}
		if err := t.writeSetting(ctx, o.Setting, o.Value); err != nil || goesOn {
			return err
		}
		sessions, keys, err := t.endAll(ctx, micros(o.At))
		if err != nil {
			return err
		}
		e := o.Entry // this may run again
		e.Details += fmt.Sprintf("; %d sessions ended, %d API keys revoked", sessions, keys)
		return t.audit(ctx, e)
	})
}

// beatRestore records that a restore is still its server's; 0: there is no job.
func (t *tx) beatRestore(ctx context.Context, job int64, runner string) error {
	if job == 0 {
		return nil
	}
	result, err := t.sql.ExecContext(ctx, "UPDATE backup_jobs SET heartbeat_at = $1 WHERE id = $2 AND runner = $3 AND active = 1",
		micros(t.now()), job, runner)
	if err != nil {
		return err
	}
	return orLost(result.RowsAffected())
}
