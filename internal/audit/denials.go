package audit

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/access"
)

// At most DenialsListed refusals per actor and DenialsWindow are listed; one entry
// counts the rest (contract §1).
const (
	DenialsListed = 20
	DenialsWindow = time.Minute
)

// Denials records refusals of permission. Someone who tries serials or IDs by the
// thousand is seen, but does not fill the log. Each replica counts separately.
type Denials struct {
	Store Store
	Now   func() time.Time

	mu      sync.Mutex
	windows map[denier]*denialWindow
}

// denier identifies whose refusals are counted together: a person or an API key.
type denier struct{ userID, apiKeyID int64 }

type denialWindow struct {
	began        time.Time
	listed, rest int
	actor        access.Actor // of the last refusal
}

// Note records a refusal.
func (d *Denials) Note(ctx context.Context, a access.Actor, targetType, targetID, details string) error {
	counted, over := d.count(a)
	if counted {
		return nil
	}
	var entries []Entry
	if over != nil {
		entries = append(entries, over.entry())
	}
	err := d.Store.AppendAudit(ctx, append(entries, By(a, PermissionDenied, targetType, targetID, details).As(Denied))...)
	if err != nil && over != nil {
		d.putBack([]*denialWindow{over})
	}
	return err
}

// Beyond records targets that exist outside the actor's scope, though the answer
// only says that they are taken: it shows who probes for them by the thousand.
func (d *Denials) Beyond(ctx context.Context, a access.Actor, operation, targetType string, targets ...string) error {
	if d == nil {
		return nil
	}
	ctx = access.OnRecord(context.WithoutCancel(ctx))
	for _, target := range targets {
		if err := d.Note(ctx, a, targetType, target, operation); err != nil {
			return err
		}
	}
	return nil
}

// count records a refusal. It reports whether it is only counted, and returns the
// actor's previous window if its count is to be written, else nil.
func (d *Denials) count(a access.Actor) (counted bool, over *denialWindow) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, who := d.Now(), denier{a.UserID, a.APIKeyID}
	w := d.windows[who]
	if w == nil || now.Sub(w.began) >= DenialsWindow {
		if w != nil && w.rest > 0 {
			over = w
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
		return true, over
	}
	w.listed++
	return false, over
}

func (w *denialWindow) entry() Entry {
	details := fmt.Sprintf("%d more refusals within %s are not listed", w.rest, DenialsWindow)
	return By(w.actor, PermissionDenied, "", "", details).As(Denied)
}

// Flush writes the counts of windows that have ended.
func (d *Denials) Flush(ctx context.Context) error {
	return d.flush(ctx, d.Now().Add(-DenialsWindow))
}

// Close writes all counts when the server stops.
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

// putBack keeps counts that could not be written for the next time; a window begun
// meanwhile takes them over.
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
