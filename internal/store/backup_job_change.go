package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

var _ backup.Store = (*DB)(nil)

// insertBackupJob stores a job, or says why it was not accepted.
func (t *tx) insertBackupJob(ctx context.Context, j backup.Job) (stored backup.Job, err error) {
	actor, err := actorText(j.Actor)
	if err != nil {
		return backup.Job{}, err
	}
	said, err := jobTextsOf(j.ErrorMessage, nil, nil)
	if err != nil {
		return backup.Job{}, err
	}
	p := sqlcgen.InsertBackupJobParams{
		Kind: string(j.Kind), Type: string(j.Type), Status: string(j.Status), ErrorMessage: said.message, Actor: actor,
		Scheduled: j.Scheduled, DueAt: microsOf(j.DueAt), Key: j.Key, Sentences: said.sentences, Runner: j.Runner,
		CreatedAt: micros(j.CreatedAt), FinishedAt: microsOf(j.FinishedAt),
	}
	if j.Status.Active() {
		p.Active = pointerTo(int64(1))
	}
	id, err := t.q.InsertBackupJob(ctx, p)
	if none(err) {
		return backup.Job{}, t.whyNotTaken(ctx, j)
	}
	if err != nil {
		return backup.Job{}, err
	}
	return backupJobByID(ctx, t.sql, id)
}

func (t *tx) whyNotTaken(ctx context.Context, j backup.Job) error {
	if j.DueAt == nil {
		return backup.ErrRunning
	}
	w := &where{}
	w.equal("j.kind", string(j.Kind))
	w.equal("j.due_at", micros(*j.DueAt))
	same, err := backupJobs(ctx, t.sql, w, "")
	switch {
	case err != nil:
		return err
	case len(same) > 0:
		return backup.ErrDone
	}
	return backup.ErrRunning
}

// InsertJob implements backup.Store.
func (db *DB) InsertJob(ctx context.Context, j backup.Job) (stored backup.Job, err error) {
	err = db.write(ctx, "insert backup job", func(ctx context.Context, t *tx) (err error) {
		stored, err = t.insertBackupJob(ctx, j)
		return err
	})
	return stored, err
}

// InsertFailed implements backup.Store.
func (db *DB) InsertFailed(ctx context.Context, j backup.Job, told backup.EndRecord) (stored backup.Job, err error) {
	err = db.write(ctx, "insert failed backup job", func(ctx context.Context, t *tx) (err error) {
		if stored, err = t.insertBackupJob(ctx, j); err != nil {
			return err
		}
		return t.notifyOfBackup(ctx, stored.ID, told)
	})
	return stored, err
}

// notifyOfBackup writes the notices and the audit entry of a job's end.
func (t *tx) notifyOfBackup(ctx context.Context, id int64, told backup.EndRecord) error {
	for _, m := range told.Notices {
		if err := t.notify(ctx, m); err != nil {
			return err
		}
	}
	return t.audit(ctx, about([]audit.Entry{told.Entry}, told.Entry.TargetType, audit.ID(id))...)
}

// BeginJob implements backup.Store.
func (db *DB) BeginJob(ctx context.Context, id int64, runner string, at time.Time) error {
	return db.write(ctx, "begin backup job", func(ctx context.Context, t *tx) error {
		n, err := t.q.BeginBackupJob(ctx, sqlcgen.BeginBackupJobParams{At: micros(at), ID: id, Runner: runner})
		return orLost(n, err)
	})
}

func orLost(n int64, err error) error {
	if err == nil && n == 0 {
		return backup.ErrLost
	}
	return err
}

// BeatJob implements backup.Store.
func (db *DB) BeatJob(ctx context.Context, id int64, runner string, now backup.Reached, at time.Time) (cancel bool, err error) {
	err = db.write(ctx, "beat backup job", func(ctx context.Context, t *tx) (err error) {
		cancel, err = t.q.BeatBackupJob(ctx, sqlcgen.BeatBackupJobParams{
			Phase: now.Phase, Percent: int64(now.Percent), PhaseDone: now.Done, PhaseTotal: now.Total, PhaseUnit: string(now.Unit),
			At: micros(at), ID: id, Runner: runner})
		if none(err) {
			return backup.ErrLost
		}
		return err
	})
	return cancel, err
}

// EndJob implements backup.Store.
func (db *DB) EndJob(ctx context.Context, id int64, runner string, e backup.End, told backup.EndRecord) (stored backup.Job, err error) {
	said, err := jobTextsOf(e.ErrorMessage, e.Details, e.Warnings)
	if err != nil {
		return backup.Job{}, asFault("end backup job", err)
	}
	err = db.write(ctx, "end backup job", func(ctx context.Context, t *tx) error {
		n, err := t.q.EndBackupJob(ctx, sqlcgen.EndBackupJobParams{
			Status: string(e.Status), Percent: int64(e.Percent), Outcome: string(e.Outcome), ErrorMessage: said.message, Key: e.Key,
			SizeBytes: e.SizeBytes, Warnings: said.warnings, Details: said.details, Sentences: said.sentences,
			At: pointerTo(micros(e.At)), ID: id, Runner: runner,
		})
		if err != nil {
			return err
		}
		stored, err = backupJobByID(ctx, t.sql, id)
		switch {
		case fault.Is(err, fault.NotFound):
			return backup.ErrLost
		case err != nil:
			return err
		case n == 1:
			return t.notifyOfBackup(ctx, id, told)
		case stored.Runner == runner && stored.Status == e.Status && stored.ErrorMessage.Text == e.ErrorMessage.Text &&
			stored.FinishedAt != nil && micros(*stored.FinishedAt) == micros(e.At):
			return nil // already committed: the answer was lost
		}
		return backup.ErrLost
	})
	if err != nil {
		return backup.Job{}, err
	}
	return stored, nil
}

// EndSilent implements backup.Store.
func (db *DB) EndSilent(ctx context.Context, id int64, heartbeat time.Time, e backup.End, told backup.EndRecord) (ended bool, err error) {
	said, err := jobTextsOf(e.ErrorMessage, e.Details, e.Warnings)
	if err != nil {
		return false, asFault("end silent backup job", err)
	}
	err = db.write(ctx, "end silent backup job", func(ctx context.Context, t *tx) error {
		n, err := t.q.EndSilentBackupJob(ctx, sqlcgen.EndSilentBackupJobParams{
			Status: string(e.Status), Percent: int64(e.Percent), Outcome: string(e.Outcome), ErrorMessage: said.message,
			Warnings: said.warnings, Sentences: said.sentences, At: pointerTo(micros(e.At)), ID: id, HeartbeatAt: micros(heartbeat)})
		if ended = n == 1; err != nil || !ended {
			return err
		}
		return t.notifyOfBackup(ctx, id, told)
	})
	return ended && err == nil, err
}

// CancelJob implements backup.Store.
func (db *DB) CancelJob(ctx context.Context, id int64, entry audit.Entry) (stored backup.Job, err error) {
	err = db.write(ctx, "cancel backup job", func(ctx context.Context, t *tx) error {
		n, err := t.q.CancelBackupJob(ctx, id)
		if err != nil {
			return err
		}
		if stored, err = backupJobByID(ctx, t.sql, id); err != nil {
			return err
		}
		switch {
		case !stored.Status.Active():
			return backup.ErrOver
		case n == 0:
			return nil
		}
		return t.audit(ctx, entry)
	})
	if err != nil {
		return backup.Job{}, err
	}
	return stored, nil
}
