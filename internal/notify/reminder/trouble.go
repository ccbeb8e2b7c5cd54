package reminder

import (
	"context"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/rollback"
)

// TroubleEvery is how often to check for trouble.
const TroubleEvery = time.Minute

// The settings that record what was sent last; a restore keeps them.
const (
	backupRow   = "told_backup_overdue"
	drillRow    = "told_drill_overdue"
	sealRow     = "told_seal_broken"
	vaultRow    = "told_vault_older"
	databaseRow = "told_database_older"
	caRow       = "told_ca_ending"
)

// Overdue notifies global administrators of a scheduled backup or drill that was not
// made: once for each due time. A failed one was already reported.
func (s *Service) Overdue(ctx context.Context) error {
	st, err := s.Backups(ctx)
	if err != nil {
		return err
	}
	tell := func(row, what string, due time.Time, failed, latest *time.Time) error {
		if due.IsZero() {
			return s.once(ctx, row, "")
		}
		if failed != nil && !failed.Before(due) {
			return nil
		}
		params := notify.Params{"what": what, "due": due.UTC().Format(time.RFC3339)}
		if latest != nil {
			params["latest"] = latest.UTC().Format(time.RFC3339)
		}
		return s.once(ctx, row, params["due"], notify.Message{Kind: notify.BackupOverdue, Params: params, At: s.Now()})
	}
	finished := func(j *backup.Job) *time.Time {
		if j == nil {
			return nil
		}
		return j.FinishedAt
	}
	if err := tell(backupRow, "backup", st.Overdue, finished(st.Failed), finished(st.Succeeded)); err != nil {
		return err
	}
	return tell(drillRow, "drill", st.DrillOverdue, finished(st.DrillFailed), finished(st.Verified))
}

// Broken notifies global administrators that the audit log's chain is broken: once for
// each reason. An unavailable vault is no error here: it is reported elsewhere.
func (s *Service) Broken(ctx context.Context) error {
	st, err := s.Seal(ctx)
	if fault.Is(err, fault.VaultUnavailable) {
		return nil
	}
	if err != nil {
		return err
	}
	broken, ok := st.Broken()
	if !ok {
		return s.once(ctx, sealRow, "")
	}
	return s.once(ctx, sealRow, broken.Reason, notify.Message{
		Kind: notify.AuditSealBroken, Params: notify.Params{"reason": broken.Reason}, At: s.Now()})
}

// Disagree notifies global administrators that the vault or the database is older than
// the other one records: once for each finding.
func (s *Service) Disagree(ctx context.Context) error {
	tell := func(row, older string, f *rollback.Finding) error {
		if f == nil {
			return s.once(ctx, row, "")
		}
		return s.once(ctx, row, f.ID, notify.Message{
			Kind: notify.StoresDisagree, Params: notify.Params{"older": older}, At: s.Now()})
	}
	vault, database := s.RolledBack()
	if err := tell(vaultRow, "vault", vault); err != nil {
		return err
	}
	return tell(databaseRow, "database", database)
}

// Trouble runs Overdue, Broken and Disagree.
func (s *Service) Trouble(ctx context.Context) error {
	return errors.Join(s.Overdue(ctx), s.Broken(ctx), s.Disagree(ctx), s.CAEnding(ctx))
}

// Morning runs Managers and Digest.
func (s *Service) Morning(ctx context.Context) error {
	return errors.Join(s.Managers(ctx), s.Digest(ctx))
}

// CAEnding notifies global administrators once that the active CA needs a successor.
func (s *Service) CAEnding(ctx context.Context) error {
	due, err := s.CADue(ctx)
	if err != nil {
		return err
	}
	return s.once(ctx, caRow, due.ID, notify.Message{Kind: notify.CAEnding, At: s.Now(), Params: notify.Params{
		"ca": due.Subject, "ends_at": due.Ends.UTC().Format(time.RFC3339),
	}})
}
