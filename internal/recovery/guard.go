package recovery

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// LookEvery is how often a server looks: what one of several could find, all
// have found within ten seconds.
const LookEvery = 10 * time.Second

// Database tells what somebody did to its tables.
type Database interface {
	// Altered names it, sorted; empty when all is as it should be.
	Altered(ctx context.Context) ([]string, error)
}

// Guard knows whether anything is held back. Its methods may be called from any
// goroutine.
type Guard struct {
	Database Database
	Log      *slog.Logger

	found atomic.Pointer[[]string] // what the last look found; nil: there was none
}

// Look looks at the database, and logs what has changed since the last time.
// What was found before holds when the database does not answer.
func (g *Guard) Look(ctx context.Context) error {
	altered, err := g.Database.Altered(ctx)
	if err != nil {
		return err
	}
	former := g.Altered()
	g.found.Store(&altered)
	changed := !slices.Equal(altered, former)
	switch {
	case changed && len(altered) > 0:
		g.Log.ErrorContext(ctx, "somebody has changed the database's tables: secrets and signatures are held back until that is undone",
			"found", altered)
	case changed:
		g.Log.WarnContext(ctx, "the database's tables are as they should be again: secrets are released, and certificates signed")
	}
	return nil
}

// errAltered keeps the objects' names from people who cannot do anything about
// them: these are in the log and in the health report.
var errAltered = fault.New(fault.RecoveryRequired, "database_altered",
	"Somebody has changed the database's tables, so that no record can be relied on. Secrets and signatures are held back until "+
		"that is undone. Ask an administrator: the health report and the server's log tell what was found.")

// Held is RecoveryRequired while secrets and signatures are held back, and
// DatabaseUnavailable when that could not be found out once.
func (g *Guard) Held(ctx context.Context) error {
	if g.found.Load() == nil {
		if err := g.Look(ctx); err != nil {
			return err
		}
	}
	if g.Found() {
		return errAltered
	}
	return nil
}

// Found tells whether the last look found anything.
func (g *Guard) Found() bool { return len(g.Altered()) > 0 }

// Altered is what the last look found.
func (g *Guard) Altered() []string {
	if found := g.found.Load(); found != nil {
		return *found
	}
	return nil
}
