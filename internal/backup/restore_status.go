package backup

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/settings"
)

// watcherSetting says who may go on reading how a restore stands: the restore ends their
// session. It stays as it is in one.
const watcherSetting = "backup_watcher"

// watches is for how long after the end of the restore.
const watches = 30 * time.Minute

// watcher is what it holds.
type watcher struct {
	Job   int64  `json:"job"`
	Token string `json:"token_sha256"` // of the access token that began it
}

// Watch lets whoever has that access token read how the restore stands, until a while
// after its end. If that cannot be noted, the restore goes on all the same.
func (r *Restorer) Watch(ctx context.Context, job int64, token string) {
	text, err := json.Marshal(watcher{job, digestOf(token)})
	if err == nil {
		err = r.Database.PutSetting(ctx, watcherSetting, settings.Value{Text: string(text), UpdatedAt: r.Now()})
	}
	if err != nil {
		r.Log.WarnContext(ctx, "could not let the person who started the restore follow it after their session ends", "job", job, "error", err)
	}
}

func digestOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Watches tells whether an access token is that of whoever began the restore that is
// under way, or was a short while ago.
func (r *Restorer) Watches(ctx context.Context, token string) (bool, error) {
	v, err := r.Database.Setting(ctx, watcherSetting)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	var w watcher
	if err == nil {
		err = json.Unmarshal([]byte(v.Text), &w)
	}
	if err != nil || subtle.ConstantTimeCompare([]byte(w.Token), []byte(digestOf(token))) == 0 {
		return false, err
	}
	j, err := r.Runner.Store.BackupJob(ctx, w.Job)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	return err == nil && (j.FinishedAt == nil || r.Now().Sub(*j.FinishedAt) < watches), err
}

// Status is the restore that is under way, or else the last one; nil when there was none.
// unfinished is the one that has changed things and has not ended, whatever became of
// others after it; nil: there is none, or it is under way.
func (r *Restorer) Status(ctx context.Context) (last, unfinished *Job, err error) {
	j, ok, err := r.Runner.Store.ActiveJob(ctx)
	if err != nil {
		return nil, nil, err
	}
	running := ok && j.Kind == Restore
	if running {
		last = &j
	} else {
		if err := r.Barrier.Look(ctx); err != nil { // who sees the end may sign in at once
			return nil, nil, err
		}
		latest, err := r.Runner.Store.LatestJobs(ctx)
		if err != nil {
			return nil, nil, err
		}
		for _, j := range latest {
			if j.Kind == Restore && (last == nil || j.ID > last.ID) {
				last = &j
			}
		}
	}
	u, err := r.Guard.RestoreUnfinished(ctx)
	if err != nil || u == nil || running && u.Job == j.ID {
		return last, nil, err
	}
	of, err := r.Runner.Store.BackupJob(ctx, u.Job)
	if fault.Is(err, fault.NotFound) {
		return last, nil, nil
	}
	return last, &of, err
}
