package webhook

import (
	"context"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
)

// behind is a store and an audit log with one entry, for FanOut.Lag only.
type behind struct {
	Store
	cursor  int64
	targets []Target
	entry   audit.Entry
}

func (b behind) WebhookCursor(context.Context) (int64, error)     { return b.cursor, nil }
func (b behind) ActiveWebhooks(context.Context) ([]Target, error) { return b.targets, nil }

func (b behind) AuditAfter(_ context.Context, after int64, _ int) ([]audit.Entry, error) {
	if b.entry.ID > after {
		return []audit.Entry{b.entry}, nil
	}
	return nil, nil
}

func TestLag(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	entry := audit.Entry{ID: 7, At: now.Add(-time.Hour)}
	early, late := []Target{{After: 2}}, []Target{{After: 7}}
	for _, c := range []struct {
		name string
		b    behind
		want time.Duration
	}{
		{"nobody to tell", behind{entry: entry}, 0},
		{"told", behind{cursor: 7, targets: early, entry: entry}, 0},
		{"not told", behind{cursor: 6, targets: early, entry: entry}, time.Hour},
		{"before the first hook", behind{cursor: 0, targets: late, entry: entry}, 0},
		{"for one of two", behind{cursor: 0, targets: append(late, early...), entry: entry}, time.Hour},
		{"of a clock ahead", behind{targets: early, entry: audit.Entry{ID: 7, At: now.Add(time.Hour)}}, 0},
	} {
		f := &FanOut{Store: c.b, Tail: c.b, Now: func() time.Time { return now }}
		if got, err := f.Lag(t.Context()); err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}
