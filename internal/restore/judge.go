package restore

import (
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// Highest is the highest id, counter, version, or CRL number that a backup may have:
// it leaves ample room to count on from there.
const Highest = vault.HighestCRL

// Judge checks everything in a backup before any of it is used (contract, "Backup
// and restore": one pass judges the whole file). Drill, dry run and restore share
// it. Its errors are BackupCorrupt, and name the place.
type Judge struct {
	CreatedAt time.Time // of the backup
	// AnyTime accepts times after the backup: the clock was wrong then.
	AnyTime bool
}

// ahead is how much later than the backup a time in it may be: clocks differ.
const ahead = 24 * time.Hour

// Number refuses implausible numbers.
func (j Judge) Number(place string, n int64) error {
	if n >= 0 && n <= Highest {
		return nil
	}
	return Unfit(fault.Sayf("judged_number", "{place} is not a number between 0 and 2^52.", fault.Params{"place": place}))
}

// Past refuses the time of an event that is after the backup.
func (j Judge) Past(place string, at time.Time) error {
	if j.AnyTime || at.Before(j.CreatedAt.Add(ahead)) {
		return nil
	}
	return Unfit(fault.Sayf("judged_time", "{place} is {at}, after the backup was created ({created_at}). If a clock was "+
		"wrong then, use keyward restore --accept-clock on the server.", fault.Params{
		"place": place, "at": at.UTC().Format(time.RFC3339), "created_at": j.CreatedAt.UTC().Format(time.RFC3339),
	}))
}

// Clock refuses a backup from the future.
func (j Judge) Clock(now time.Time) error {
	if j.AnyTime || j.CreatedAt.Before(now.Add(ahead)) {
		return nil
	}
	return fault.Newf(fault.Conflict, "backup_ahead", "The backup was created at {created_at}, but this computer's clock says {now}. "+
		"Nothing was changed. Correct the clock. If the clock was wrong when the backup was created, use keyward restore --accept-clock "+
		"on the server.", fault.Params{
		"created_at": j.CreatedAt.UTC().Format(time.RFC3339), "now": now.UTC().Format(time.RFC3339),
	})
}

// Unknown is the error for a value that is not one of those allowed.
func Unknown(place string) error {
	return Unfit(fault.Sayf("judged_value", "{place} has a value that this version doesn't know.", fault.Params{"place": place}))
}

// Unfit is the error for a backup that opens but must not be restored.
func Unfit(why fault.Sentence) error {
	return fault.Newf(fault.BackupCorrupt, "unfit", "The backup opens, but it can't be restored: {why} Nothing was changed. Use "+
		"another backup, and find out who made or changed this one.", fault.Params{"why": why})
}
