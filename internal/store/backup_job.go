package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

const backupJobColumns = `j.id, j.kind, j.type, j.status, j.phase, j.percent, j.phase_done, j.phase_total, j.phase_unit, j.outcome,
	j.actor, j.scheduled, j.due_at, j.key, j.size_bytes, j.sentences, j.runner, j.cancel, j.created_at, j.started_at, j.finished_at, j.heartbeat_at`

const backupJobTable = " FROM backup_jobs AS j"

// jobActor is the stored part of who requested a job: what its audit entry says, whichever server
// writes that.
type jobActor struct {
	UserID    int64  `json:"user_id,omitempty"`
	APIKeyID  int64  `json:"api_key_id,omitempty"`
	Username  string `json:"username,omitempty"`
	Hostname  string `json:"hostname,omitempty"`
	IPAddress string `json:"ip_address,omitempty"`
	RequestID string `json:"request_id,omitempty"`
}

func actorText(a access.Actor) (string, error) {
	b, err := json.Marshal(jobActor{a.UserID, a.APIKeyID, a.Username, a.Hostname, a.IPAddress, a.RequestID})
	return string(b), err
}

func actorOf(text string) (access.Actor, error) {
	var a jobActor
	err := json.Unmarshal([]byte(text), &a)
	return access.Actor{
		UserID: a.UserID, APIKeyID: a.APIKeyID, Username: a.Username, Hostname: a.Hostname, IPAddress: a.IPAddress, RequestID: a.RequestID,
	}, err
}

func scanBackupJob(row scanner) (j backup.Job, err error) {
	var actor, sentences string
	var created, heartbeat int64
	var due, started, finished *int64
	err = row.Scan(&j.ID, &j.Kind, &j.Type, &j.Status, &j.Phase, &j.Percent, &j.Done, &j.Total, &j.Unit, &j.Outcome, &actor,
		&j.Scheduled, &due, &j.Key, &j.SizeBytes, &sentences, &j.Runner, &j.Cancel, &created, &started, &finished, &heartbeat)
	if err != nil {
		return backup.Job{}, err
	}
	j.DueAt, j.StartedAt, j.FinishedAt = momentOf(due), momentOf(started), momentOf(finished)
	j.CreatedAt, j.Heartbeat = moment(created), moment(heartbeat)
	if j.Actor, err = actorOf(actor); err != nil {
		return backup.Job{}, err
	}
	return j, sentencesInto(&j, sentences)
}

func backupJobs(ctx context.Context, from querier, w *where, order string) ([]backup.Job, error) {
	return queryAll(ctx, from, scanBackupJob, "SELECT "+backupJobColumns+backupJobTable+w.String()+order, w.args...)
}

func backupJobByID(ctx context.Context, from querier, id int64) (backup.Job, error) {
	w := &where{}
	w.equal("j.id", id)
	j, err := queryOne(ctx, from, scanBackupJob, "SELECT "+backupJobColumns+backupJobTable+w.String(), w.args...)
	if none(err) {
		err = backup.ErrNoJob
	}
	return j, err
}

// BackupJob implements backup.Store.
func (db *DB) BackupJob(ctx context.Context, id int64) (backup.Job, error) {
	j, err := backupJobByID(ctx, db.read, id)
	return j, asFault("backup job", err)
}

// ActiveJob implements backup.Store.
func (db *DB) ActiveJob(ctx context.Context) (j backup.Job, ok bool, err error) {
	w := &where{}
	w.is("j.active = 1")
	list, err := backupJobs(ctx, db.read, w, "")
	if err != nil || len(list) == 0 {
		return backup.Job{}, false, asFault("active backup job", err)
	}
	return list[0], true, nil
}

// ListJobs implements backup.Store.
func (db *DB) ListJobs(ctx context.Context, f backup.Filter, p page.Request) (page.Page[backup.Job], error) {
	w := &where{}
	if f.Kind != "" {
		w.equal("j.kind", string(f.Kind))
	}
	if f.Status != "" {
		w.equal("j.status", string(f.Status))
	}
	list := listed[backup.Job]{"SELECT " + backupJobColumns, backupJobTable, "", "j.id",
		scanBackupJob, func(j backup.Job) int64 { return j.ID }}
	return list.page(ctx, db, "list backup jobs", w, p)
}

// LatestJobs implements backup.Store.
func (db *DB) LatestJobs(ctx context.Context) ([]backup.Job, error) {
	w := &where{}
	w.is("j.id IN (SELECT max(l.id) FROM backup_jobs AS l WHERE l.active IS NULL GROUP BY l.kind, l.status, l.outcome)")
	list, err := backupJobs(ctx, db.read, w, " ORDER BY j.id DESC")
	return list, asFault("latest backup jobs", err)
}

// LatestDue implements backup.Store.
func (db *DB) LatestDue(ctx context.Context, k backup.Kind, until time.Time) (time.Time, error) {
	due, err := db.q().LatestDueBackupJob(ctx, sqlcgen.LatestDueBackupJobParams{Kind: string(k), Until: pointerTo(micros(until))})
	return momentOrZero(due), asFault("latest due backup job", err)
}
