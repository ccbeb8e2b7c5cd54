package webhook

import (
	"context"
	"time"
)

// Lag returns the age of the oldest audit entry that has not been fanned out;
// zero when there is none, or no receiver.
func (f *FanOut) Lag(ctx context.Context) (time.Duration, error) {
	from, err := f.Store.WebhookCursor(ctx)
	if err != nil {
		return 0, err
	}
	targets, err := f.Store.ActiveWebhooks(ctx)
	if err != nil || len(targets) == 0 {
		return 0, err
	}
	entries, err := f.Tail.AuditAfter(ctx, start(from, targets), 1)
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	return max(0, f.Now().Sub(entries[0].At)), nil
}
