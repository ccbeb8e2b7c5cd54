package backup

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/fault"
)

// Plan is that of the settings; none before there is a password to encrypt with.
func (s *Service) Plan(ctx context.Context) (Plan, error) {
	v, err := s.Rows.Setting(ctx, settingName)
	switch {
	case fault.Is(err, fault.NotFound):
		return Plan{}, nil
	case err != nil:
		return Plan{}, err
	}
	set, err := decodeSettings(v.Text)
	if err != nil || set.PasswordID == "" {
		return Plan{}, err
	}
	return Plan{Schedule: set.Schedule, Zone: set.TimeZone, Since: v.UpdatedAt}, nil
}

// Scheduled begins the backup of a moment of the schedule. What is known to be missing
// for it is its error: no job has begun then.
func (s *Service) Scheduled(ctx context.Context, r *Runner, due time.Time) error {
	if err := s.Ready(ctx); err != nil {
		return err
	}
	_, err := r.Start(ctx, Request{Kind: Backup, Type: archive.Full, Scheduled: true, DueAt: due}, s.Making(archive.Full))
	return err
}
