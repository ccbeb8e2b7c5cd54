package backup

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// How servers learn that a restore is about to change things.
const (
	// BarrierEvery is how often each server looks.
	BarrierEvery = time.Second
	// BarrierKnown is how long a restore waits until all servers know.
	BarrierKnown = 3 * time.Second
)

// errRestoreRunning answers attempts to change something meanwhile.
var errRestoreRunning = fault.New(fault.RestoreRunning, "",
	"A backup is being restored, so nothing can be changed for the moment. Try again when that has ended; you have to sign in again then.")

// Barrier blocks changes on this server while a restore is about to change things,
// and before its first Look.
type Barrier struct {
	Active func(ctx context.Context) (Job, bool, error)
	// Opens, if not nil, makes this server use what a restore has changed, before
	// anyone may change something again.
	Opens func(ctx context.Context)

	looking sync.Mutex // so that older observations are stored first
	open    atomic.Bool
}

// bars reports whether a job is a restore that changes things.
func bars(j Job) bool {
	return j.Kind == Restore && j.Status == Running && (j.Phase == "database" || j.Phase == "vault" || j.Phase == "finish")
}

// Look checks whether a restore is in progress on any server. If the database does
// not answer, the last observation holds.
func (b *Barrier) Look(ctx context.Context) error {
	b.looking.Lock()
	defer b.looking.Unlock()
	j, ok, err := b.Active(ctx)
	if err != nil {
		return err
	}
	open := !ok || !bars(j)
	if open && !b.open.Load() && b.Opens != nil {
		b.Opens(ctx)
	}
	b.open.Store(open)
	return nil
}

// Changes returns RestoreRunning while nothing may be changed.
func (b *Barrier) Changes() error {
	if b.open.Load() {
		return nil
	}
	return errRestoreRunning
}
