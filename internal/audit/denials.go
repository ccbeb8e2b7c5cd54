package audit

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/access"
)

// At most DenialsListed refusals of one actor within a DenialsWindow are
// listed; one entry counts the rest (contract §1).
const (
	DenialsListed = 20
	DenialsWindow = time.Minute
)

// Denials puts refusals of permission on record. Whoever tries serials or ids
// by the thousand is seen, and does not fill the log. It counts for each
// replica.
type Denials struct {
	Store Store
	Now   func() time.Time

	mu      sync.Mutex
	windows map[denier]*denialWindow
}

// denier is whose refusals are counted together: a person or an API key.
type denier struct{ userID, apiKeyID int64 }

type denialWindow struct {
	began        time.Time
	listed, rest int
	actor        access.Actor // of the last one
}

// Note records a refusal of the actor.
func (d *Denials) Note(ctx context.Context, a access.Actor, targetType, targetID, details string) error {
	entries := d.count(a)
	if entries == nil {
		return nil
	}
	entries[len(entries)-1].TargetType, entries[len(entries)-1].TargetID = targetType, targetID
	entries[len(entries)-1].Details = By(a, PermissionDenied, "", "", details).Details
	return d.Store.AppendAudit(ctx, entries...)
}

// count gives the entry of a refusal, to be filled in, after the one that
// counts what a former window has left; nil when the refusal only counts.
func (d *Denials) count(a access.Actor) (entries []Entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, who := d.Now(), denier{a.UserID, a.APIKeyID}
	w := d.windows[who]
	if w == nil || now.Sub(w.began) >= DenialsWindow {
		if w != nil && w.rest > 0 {
			entries = append(entries, w.entry())
		}
		w = &denialWindow{began: now}
		if d.windows == nil {
			d.windows = map[denier]*denialWindow{}
		}
		d.windows[who] = w
	}
	w.actor = a
	if w.listed == DenialsListed {
		w.rest++
		return nil
	}
	w.listed++
	return append(entries, By(a, PermissionDenied, "", "", "").As(Denied))
}

func (w *denialWindow) entry() Entry {
	details := fmt.Sprintf("%d more refusals within %s are not listed", w.rest, DenialsWindow)
	return By(w.actor, PermissionDenied, "", "", details).As(Denied)
}

// Flush writes the counts of the windows that are over.
func (d *Denials) Flush(ctx context.Context) error {
	return d.flush(ctx, d.Now().Add(-DenialsWindow))
}

// Close writes all counts: the server stops.
func (d *Denials) Close(ctx context.Context) error { return d.flush(ctx, d.Now()) }

func (d *Denials) flush(ctx context.Context, until time.Time) error {
	d.mu.Lock()
	var over []*denialWindow
	var entries []Entry
	for who, w := range d.windows {
		if w.began.After(until) {
			continue
		}
		delete(d.windows, who)
		if w.rest > 0 {
			over, entries = append(over, w), append(entries, w.entry())
		}
	}
	d.mu.Unlock()
	if len(entries) == 0 {
		return nil
	}
	err := d.Store.AppendAudit(ctx, entries...)
	if err != nil {
		d.putBack(over)
	}
	return err
}

// putBack keeps counts that could not be written for the next time, unless a
// new window has begun, which takes them over.
func (d *Denials) putBack(over []*denialWindow) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range over {
		who := denier{w.actor.UserID, w.actor.APIKeyID}
		if now := d.windows[who]; now != nil {
			now.rest += w.rest
			continue
		}
		d.windows[who] = w
	}
}
