package objstore

import (
	"errors"

	"github.com/keyward/keyward/internal/fault"
)

// NotFound is the fault for a key without an object. why, which may be nil, is for
// the log, here and below.
func NotFound(why error) error {
	return fault.New(fault.NotFound, "no_backup_object", "The backup store has no such object. Load the list of backups again.").
		With(because(ErrNotFound, why))
}

// Exists is the fault for a key in use.
func Exists(why error) error {
	return fault.New(fault.Conflict, "backup_object_exists", "The backup store already has an object of this "+
		"name. Try again in a second: the name contains the time.").With(because(ErrExists, why))
}

// Slow is the fault for an operation that reached its Limit.
func Slow(why error) error {
	return fault.New(fault.StorageUnavailable, "backup_store_slow", "The backup store did not respond in time. "+
		"Check that it is running and that the network is fast enough for a backup of this size, then try "+
		"again.").With(because(ErrUnavailable, why))
}

func because(kind, why error) error {
	if why == nil {
		return kind
	}
	return errors.Join(kind, why)
}
