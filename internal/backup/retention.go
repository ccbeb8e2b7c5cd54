package backup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
)

// keptAlways is how many Completed backups stay, whatever their age (contract,
// "Backup and restore").
const keptAlways = 3

// Expire deletes backups older than the settings' retention, and what killed writes
// left. Backups locked by the store stay until later. It does nothing before
// settings are made.
func (s *Service) Expire(ctx context.Context) error {
	set, err := s.Settings(ctx)
	if err != nil || set.PasswordID == "" {
		return err
	}
	store, err := s.open(ctx, set)
	if err != nil {
		return err
	}
	defer end(store)
	_, err = store.Sweep(ctx, s.Now().Add(-objstore.Abandoned))
	locked, expireErr := s.expire(ctx, store, set, "")
	if locked > 0 {
		s.Log.InfoContext(ctx, "old backups are still locked in the store", "backups", locked)
	}
	return errors.Join(err, expireErr)
}

// expire counts the backups that stay because they are locked. latest is one more
// Completed backup that the jobs do not have yet; empty: none.
func (s *Service) expire(ctx context.Context, store objstore.Store, set Settings, latest string) (locked int, err error) {
	completed, err := s.Completed(ctx)
	if err != nil {
		return 0, err
	}
	var all []objstore.Object
	if err := store.Each(ctx, func(o objstore.Object) error {
		all = append(all, o)
		return nil
	}); err != nil {
		return 0, err
	}
	before := s.Now().AddDate(0, 0, -set.RetentionDays)
	for _, o := range expired(store.Prefix(), all, slices.Concat(completed, []string{latest}), before) {
		err := s.remove(ctx, access.Actor{}, store, o, fmt.Sprintf("older than %d days", set.RetentionDays))
		switch {
		case err == nil:
			err = s.deleted(ctx, o.Key)
		case errors.Is(err, objstore.ErrLocked):
			locked++
			err = nil
		}
		if err != nil {
			return locked, err
		}
	}
	return locked, nil
}

// expired returns the backups from before a time, except those that stay: the newest
// Completed ones, among them the newest full one. If fewer are known to be
// Completed, since the record of jobs is new, others stay instead.
func expired(prefix string, all []objstore.Object, completed []string, before time.Time) (old []objstore.Object) {
	name := func(o objstore.Object) objstore.Name {
		n, _ := objstore.ParseName(prefix, o.Key)
		return n
	}
	slices.SortFunc(all, func(a, b objstore.Object) int {
		return cmp.Or(name(b).At.Compare(name(a).At), cmp.Compare(b.Key, a.Key))
	})
	stay, full := map[string]bool{}, false
	for _, o := range all {
		if isFull := name(o).Type == "full"; slices.Contains(completed, o.Key) && (len(stay) < keptAlways || isFull && !full) {
			stay[o.Key], full = true, full || isFull
		}
	}
	for _, o := range all {
		if len(stay) < keptAlways {
			stay[o.Key] = true
		}
		if !stay[o.Key] && name(o).At.Before(before) {
			old = append(old, o)
		}
	}
	return old
}

// after does what follows a stored backup. Its failures are warnings.
func (m *making) after(ctx context.Context, set Settings, done *Result) {
	if err := m.putHead(ctx, m.store, m.header.CreatedAt); err != nil {
		m.warn(ctx, done, fault.Say("head_not_written",
			"The signed head of the audit log could not be stored with the backup. The next backup tries again."), err)
	}
	locked, err := m.expire(ctx, m.store, set, done.Key)
	if locked > 0 {
		done.Details = append(done.Details, fault.Sayf("still_locked", "{backups} old backups are still locked and stay.",
			fault.Params{"backups": locked}))
	}
	if err != nil {
		m.warn(ctx, done, fault.Say("not_expired", "Older backups could not be deleted. Keyward tries again every day."), err)
	}
}

func (m *making) warn(ctx context.Context, done *Result, warning fault.Sentence, err error) {
	m.Log.WarnContext(ctx, "after a backup: "+warning.Text, "key", done.Key, "error", err)
	done.Outcome, done.Warnings = Warnings, append(done.Warnings, warning)
}
