package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/settings"
)

// unverifiedSetting lists what backups are about to write, for cleanup if their server is killed.
const unverifiedSetting = "backup_unproven"

// unverified is an object that only counts once its job is Completed.
type unverified struct {
	Job    int64  `json:"job"`
	Key    string `json:"key"`
	Locked bool   `json:"locked,omitempty"` // its job failed, and the store's lock keeps it
}

// TidyEvery is how often the leader checks for leftovers of killed backups.
const TidyEvery = 5 * time.Second

// announce records an object before any of it is written.
func (m *making) announce(ctx context.Context, key string) error {
	job, _ := m.p.Job()
	if job == 0 {
		return nil
	}
	return m.changeUnverified(ctx, func(list []unverified) []unverified { return append(list, unverified{Job: job, Key: key}) })
}

// unverified returns the list and its setting.
func (s *Service) unverified(ctx context.Context) (list []unverified, v settings.Value, err error) {
	v, err = s.Rows.Setting(ctx, unverifiedSetting)
	if fault.Is(err, fault.NotFound) {
		return nil, settings.Value{}, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(v.Text), &list)
	}
	return list, v, err
}

// changeUnverified replaces the list with the result of next, which is called again if
// another server was faster.
func (s *Service) changeUnverified(ctx context.Context, next func([]unverified) []unverified) error {
	for {
		list, was, err := s.unverified(ctx)
		if err != nil {
			return err
		}
		after := next(slices.Clone(list))
		if slices.Equal(after, list) {
			return nil
		}
		raw, err := json.Marshal(after)
		if err != nil {
			return fmt.Errorf("what backups are about to write: %w", err)
		}
		swapped, err := s.Rows.SwapSetting(ctx, unverifiedSetting, was, settings.Value{Text: string(raw), UpdatedAt: s.Now()})
		if swapped || err != nil {
			return err
		}
	}
}

// Tidy removes from the store what killed servers left of unverified backups. It keeps
// what a running job may still write.
func (s *Service) Tidy(ctx context.Context) error {
	list, _, err := s.unverified(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	over, locked := map[unverified]bool{}, map[unverified]bool{}
	for _, u := range list {
		if u.Locked { // left to retention
			continue
		}
		j, err := s.Job(ctx, u.Job)
		switch {
		case errors.Is(err, ErrNoJob): // of another database: unknown
			over[u] = true
		case err != nil:
			return err
		case j.Status == Completed:
			over[u] = true
		case j.Status == Failed:
			err := s.discardOf(ctx, j, u.Key)
			if err != nil && !errors.Is(err, objstore.ErrLocked) {
				return err
			}
			over[u], locked[u] = err == nil, err != nil
		}
	}
	return s.changeUnverified(ctx, func(list []unverified) []unverified { // another backup may have begun meanwhile
		for i, u := range list {
			list[i].Locked = u.Locked || locked[u]
		}
		return slices.DeleteFunc(list, func(u unverified) bool { return over[u] })
	})
}

// notVerified returns the keys of objects that no job has verified as backups.
func (s *Service) notVerified(ctx context.Context) ([]string, error) {
	if s.Job == nil { // a command that only knows the store
		return nil, nil
	}
	list, _, err := s.unverified(ctx)
	if err != nil {
		return nil, err
	}
	var keys []string
	for _, u := range list {
		j, err := s.Job(ctx, u.Job)
		switch {
		case err != nil && !errors.Is(err, ErrNoJob):
			return nil, err
		case err == nil && j.Status != Completed:
			keys = append(keys, u.Key)
		}
	}
	return keys, nil
}

// except is a store whose list omits some keys.
type except struct {
	objstore.Store
	keys []string
}

// Each implements objstore.Store.
func (e except) Each(ctx context.Context, each func(objstore.Object) error) error {
	return e.Store.Each(ctx, func(o objstore.Object) error {
		if slices.Contains(e.keys, o.Key) {
			return nil
		}
		return each(o)
	})
}

// deleted records that a locked object is finally gone.
func (s *Service) deleted(ctx context.Context, key string) error {
	return s.changeUnverified(ctx, func(list []unverified) []unverified {
		return slices.DeleteFunc(list, func(u unverified) bool { return u.Locked && u.Key == key })
	})
}

// Forget drops the list: a database restored from a copy may call a backup unverified
// that was verified later.
func (s *Service) Forget(ctx context.Context) error {
	return s.changeUnverified(ctx, func([]unverified) []unverified { return nil })
}

// withdraw undoes announce: the object of that name is another one.
func (m *making) withdraw(ctx context.Context, key string) error {
	job, _ := m.p.Job()
	return m.changeUnverified(ctx, func(list []unverified) []unverified {
		return slices.DeleteFunc(list, func(u unverified) bool { return u == unverified{Job: job, Key: key} })
	})
}

// discardOf removes the object of a failed job, if it exists, and unfinished parts.
// ErrLocked: it stays until retention deletes it.
func (s *Service) discardOf(ctx context.Context, j Job, key string) error {
	store, _, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer end(store)
	if _, err := store.Sweep(ctx, *j.FinishedAt); err != nil {
		return err
	}
	o, err := store.Stat(ctx, key)
	if errors.Is(err, objstore.ErrNotFound) || errors.Is(err, objstore.ErrInvalid) { // the prefix may have changed
		return nil
	}
	if err == nil {
		err = s.remove(ctx, access.Actor{}, store, o, "its job failed, so it was not proven to be a backup")
	}
	if errors.Is(err, objstore.ErrLocked) {
		s.Log.WarnContext(ctx, "a file that is not proven to be a backup is locked in the store; it is deleted when it is too old", "key", key)
	}
	return err
}
