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

// watcherSetting says who may keep reading the status of a restore, which ends their
// session. The restore leaves it unchanged.
const watcherSetting = "backup_watcher"

// watches is how long after the end of the restore they may.
const watches = 30 * time.Minute

// watcher is its value.
type watcher struct {
	Job   int64  `json:"job"`
	Token string `json:"token_sha256"` // of the access token that began it
}

// Watch lets the holder of an access token read the status of the restore until a
// while after its end. If that cannot be stored, the restore continues anyway.
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

// Watches reports whether an access token is that of the person who started the
// restore that is running, or ended recently.
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

// Status returns the running restore, or else the last one; nil if there was none.
// unfinished is a restore that has changed things and has not ended, whatever
// happened to later ones; nil if there is none, or it is running.
func (r *Restorer) Status(ctx context.Context) (last, unfinished *Job, err error) {
	j, ok, err := r.Runner.Store.ActiveJob(ctx)
	if err != nil {
		return nil, nil, err
	}
	running := ok && j.Kind == Restore
	if running {
		last = &j
	} else {
		if err := r.Barrier.Look(ctx); err != nil { // after its end, people may sign in at once
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
