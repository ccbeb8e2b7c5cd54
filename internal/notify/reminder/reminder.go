// Package reminder notifies people of what no person's action reports: expiring
// certificates, missed backups, a tampered audit log, an outdated database or vault. Its
// methods are tasks of the leader; each message is sent once however many processes run
// them, by a mark that is written with it.
package reminder

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/ca"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/settings"
)

// Service is the domain's face to the edges.
type Service struct {
	Store   Store
	Backups func(context.Context) (backup.Health, error)
	Seal    func(context.Context) (chain.Status, error)
	// RolledBack returns the findings about vault and database; nil: none.
	RolledBack func() (vault, database *rollback.Finding)
	// CADue returns the active CA if it needs a successor; otherwise none has an ID.
	CADue func(context.Context) (ca.Due, error)
	Now   func() time.Time
	Zone  *time.Location // whose mornings count
}

// Store is what the tasks read and write.
type Store interface {
	settings.Store
	// Notify is SwapSetting plus messages, in one transaction.
	Notify(ctx context.Context, name string, was, v settings.Value, messages ...notify.Message) (bool, error)
	// NotifyEnding notifies of at most limit certificates that have reached a
	// milestone, or their end, without a notification; it marks them, and returns
	// how many. See Ending for which.
	NotifyEnding(ctx context.Context, now time.Time, limit int, say func(Ending) notify.Message) (int, error)
	// Endings returns the certificates that reached a milestone after since and up to
	// now, by organization, then by end.
	Endings(ctx context.Context, since, now time.Time) ([]Ending, error)
	// DigestReaders returns the organizations with an active manager who did not
	// turn the digest off, and whether there is such a global admin.
	DigestReaders(ctx context.Context) (organizations []int64, admins bool, err error)
	// Doing counts what needs attention in an organization; nil: everywhere.
	Doing(ctx context.Context, organizationID *int64, now time.Time) (Doing, error)
}

// mark is the last notification about something.
type mark struct {
	What string `json:"what"`
}

// once sends messages about what, unless those were the last; empty what: all is well again.
func (s *Service) once(ctx context.Context, row, what string, messages ...notify.Message) error {
	was, err := s.Store.Setting(ctx, row)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	var before mark
	if was.Text != "" {
		if err := json.Unmarshal([]byte(was.Text), &before); err != nil {
			return fmt.Errorf("reminder: %s: %w", row, err)
		}
	}
	if before.What == what {
		return nil
	}
	text, err := json.Marshal(mark{what})
	if err != nil {
		return err
	}
	if what == "" {
		messages = nil
	}
	_, err = s.Store.Notify(ctx, row, was, settings.Value{Text: string(text), UpdatedAt: s.Now().UTC()}, messages...)
	return err
}
