package backup

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// How the servers learn that a restore is about to change things.
const (
	// BarrierEvery is how often each looks.
	BarrierEvery = time.Second
	// BarrierKnown is how long a restore waits until all of them know.
	BarrierKnown = 3 * time.Second
)

// errRestoreRunning is the answer to whoever would change something meanwhile.
var errRestoreRunning = fault.New(fault.RestoreRunning, "",
	"A backup is being restored, so nothing can be changed for the moment. Try again when that has ended; you have to sign in again then.")

// Barrier keeps changes away from what a restore is about to change, on this server; and
// all of them before its first Look.
type Barrier struct {
	Active func(ctx context.Context) (Job, bool, error)

	looking sync.Mutex // so that what was seen earlier is stored earlier
	open    atomic.Bool
}

// bars tells whether a job is a restore that changes things.
func bars(j Job) bool {
	return j.Kind == Restore && j.Status == Running && (j.Phase == "database" || j.Phase == "vault" || j.Phase == "finish")
}

// Look sees whether a restore is under way, on any server. When the database does not
// tell, what was seen before holds.
func (b *Barrier) Look(ctx context.Context) error {
	b.looking.Lock()
	defer b.looking.Unlock()
	j, ok, err := b.Active(ctx)
	if err == nil {
		b.open.Store(!ok || !bars(j))
	}
	return err
}

// Changes is RestoreRunning while nothing may be changed.
func (b *Barrier) Changes() error {
	if b.open.Load() {
		return nil
	}
	return errRestoreRunning
}
