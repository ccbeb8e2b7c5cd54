package webhook

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/audit"
)

// fanOutBatch is how many entries one transaction handles.
const fanOutBatch = 500

// Tail is the audit log, as the fan-out reads it.
type Tail interface {
	AuditAfter(ctx context.Context, after int64, limit int) ([]audit.Entry, error)
}

// FanOut creates deliveries for entries of the audit log.
type FanOut struct {
	Store Store
	Tail  Tail
	Wake  func() // called when there is something to send
	Now   func() time.Time
}

// Run writes the deliveries for all existing entries, and returns.
func (f *FanOut) Run(ctx context.Context) error {
	for {
		more, err := f.step(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// step handles one batch. It reads the hooks again after the entries: one
// created in between gets only later entries.
func (f *FanOut) step(ctx context.Context) (more bool, err error) {
	from, err := f.Store.WebhookCursor(ctx)
	if err != nil {
		return false, err
	}
	targets, err := f.Store.ActiveWebhooks(ctx)
	if err != nil || len(targets) == 0 {
		return false, err // no receivers: the cursor may stay behind
	}
	entries, err := f.Tail.AuditAfter(ctx, start(from, targets), fanOutBatch)
	if err != nil {
		return false, err
	}
	if len(entries) == 0 {
		return false, f.Store.RewindWebhooks(ctx)
	}
	if targets, err = f.Store.ActiveWebhooks(ctx); err != nil {
		return false, err
	}
	deliveries := f.deliveries(entries, targets)
	moved, err := f.Store.FanOut(ctx, from, entries[len(entries)-1].ID, deliveries)
	if err != nil {
		return false, err
	}
	if moved && len(deliveries) > 0 && f.Wake != nil {
		f.Wake()
	}
	return !moved || len(entries) == fanOutBatch, nil // not moved: another replica was faster, so continue from its position
}

// start skips entries for nobody: the log may be long before the first hook is created.
func start(cursor int64, targets []Target) int64 {
	first := targets[0].After
	for _, t := range targets {
		first = min(first, t.After)
	}
	return max(cursor, first)
}

func (f *FanOut) deliveries(entries []audit.Entry, targets []Target) []Delivery {
	now := f.Now()
	var out []Delivery
	for _, e := range entries {
		for _, t := range targets {
			if t.gets(e) {
				out = append(out, Delivery{
					WebhookID: t.ID, AuditID: e.ID, MessageID: newMessageID(), Action: e.Action,
					Status: Pending, NextAttemptAt: &now, CreatedAt: now,
				})
			}
		}
	}
	return out
}
