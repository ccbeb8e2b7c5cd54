// Package siem forwards the audit log to a SIEM: as JSON lines appended to a file,
// and to a syslog receiver (RFC 5424). Each sink has its own tail over the committed
// entries, in ID order, with a cursor in the database:
//
//	read after the cursor ─▶ send ─▶ wait until it is safe ─▶ move the cursor
//	        ▲                   │
//	        └── back off ◀── failed: everything after the cursor is sent again
//
// So every entry arrives at least once, across restarts of either side; duplicates
// have the same ID. Requests never wait for it. If another process has moved a
// cursor, as a restore with its own log does, the tail continues from there.
package siem

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/settings"
)

// Sink is a destination for entries.
type Sink interface {
	// Send sends entries, in order. After an error any of them may have arrived, and the
	// sink reconnects or reopens.
	Send(ctx context.Context, entries []audit.Entry) error
	// Check returns an error if what was sent recently may be lost; the sink then
	// reconnects or reopens.
	Check() error
	// Settle returns how long after Send an entry counts as delivered, if Check returns nil.
	Settle() time.Duration
	// Finish waits until what was sent has arrived, and closes the sink. After an error
	// that is unknown.
	Finish(ctx context.Context) error
}

// Store is the log that a tail reads, and the place of its cursor.
type Store interface {
	AuditAfter(ctx context.Context, after int64, limit int) ([]audit.Entry, error)
	NewestAudit(ctx context.Context) (int64, error)
	AuditEnd(ctx context.Context) (int64, error)
	Setting(ctx context.Context, name string) (settings.Value, error)
	// SwapSetting stores v if was is still stored (zero: nothing), and reports whether it did.
	SwapSetting(ctx context.Context, name string, was, v settings.Value) (bool, error)
}

const (
	atOnce     = 500
	firstPause = time.Second
	maxPause   = time.Minute
)

// Tail follows the log for one sink. Only one goroutine may call its methods.
type Tail struct {
	Name  string // of the cursor, which survives a change of the file or receiver
	Store Store
	Sink  Sink
	Log   *slog.Logger
	Now   func() time.Time
	// Pause is the first wait after a failure; it doubles up to a minute. Zero means a second.
	Pause time.Duration

	loaded  bool
	stored  settings.Value // the cursor in the database; zero: none
	saved   int64          // its value
	cursor  int64          // everything up to it was delivered
	sent    int64          // everything up to it was sent
	marks   []sent         // sent but not settled, ascending
	retryAt time.Time
	pause   time.Duration
}

// sent is an ID and the time by which entries up to it were sent.
type sent struct {
	upTo int64
	at   time.Time
}

type cursor struct {
	LastID int64 `json:"last_id"`
}

func (t *Tail) key() string { return "audit_tail." + t.Name }

// Behind returns how many entries have not arrived yet, as far as the database knows. Unlike the other
// methods, any goroutine may call it.
func (t *Tail) Behind(ctx context.Context) (int64, error) {
	_, at, err := t.read(ctx)
	if err != nil {
		return 0, err
	}
	newest, err := t.Store.NewestAudit(ctx)
	return max(0, newest-at), err
}

// Run sends what was committed since its last run. After a failure it first waits,
// longer each time.
func (t *Tail) Run(ctx context.Context) error {
	if wait := t.retryAt.Sub(t.Now()); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return t.backOff(ctx, t.deliver(ctx))
}

// Last is Run when the server stops: it does not back off, but waits until what was
// sent has arrived.
func (t *Tail) Last(ctx context.Context) error {
	if err := t.deliver(ctx); err != nil {
		return errors.Join(err, t.Sink.Finish(ctx))
	}
	if err := t.Sink.Finish(ctx); err != nil {
		return err // it is sent again at the next start
	}
	t.cursor = t.sent
	return t.save(ctx)
}

func (t *Tail) backOff(ctx context.Context, err error) error {
	if err == nil {
		t.pause, t.retryAt = 0, time.Time{}
		return nil
	}
	if ctx.Err() != nil {
		return err
	}
	if t.pause == 0 {
		t.pause = t.Pause
		if t.pause == 0 {
			t.pause = firstPause
		}
	} else {
		t.pause = min(2*t.pause, maxPause)
	}
	t.retryAt = t.Now().Add(t.pause)
	return err
}

func (t *Tail) deliver(ctx context.Context) error {
	checked := t.Now() // before Check, which vouches for this time
	if err := t.Sink.Check(); err != nil && len(t.marks) > 0 {
		return t.again(err)
	}
	for {
		if err := t.load(ctx); err != nil {
			return err
		}
		list, err := t.Store.AuditAfter(ctx, t.sent, atOnce)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			if err := t.Sink.Send(ctx, list); err != nil {
				return t.again(err)
			}
			t.sent = list[len(list)-1].ID
			t.marks = append(t.marks, sent{t.sent, t.Now()})
		} else if err := t.rewind(ctx); err != nil {
			return err
		}
		if err := t.settle(ctx, checked); err != nil {
			return err
		}
		if len(list) < atOnce {
			return nil
		}
	}
}

// rewind goes back to the end of the log if the cursor is past it, as after a
// restore of settings without the log: otherwise new entries would count as sent.
func (t *Tail) rewind(ctx context.Context) error {
	newest, err := t.Store.NewestAudit(ctx)
	if err != nil || newest >= t.sent {
		return err
	}
	end, err := t.Store.AuditEnd(ctx) // before transactions in progress
	if err != nil {
		return err
	}
	end = min(end, newest)
	t.Log.WarnContext(ctx, "the audit log is shorter than what was already forwarded: continuing from its end",
		"to", t.Name, "handed_on", t.sent, "newest", newest)
	t.cursor, t.sent, t.marks = end, end, nil
	return t.save(ctx)
}

// again goes back to what is known to be delivered.
func (t *Tail) again(err error) error {
	t.sent, t.marks = t.cursor, nil
	return fmt.Errorf("audit log to %s: %w", t.Name, err)
}

// settle moves the cursor over what was sent long enough before the last Check.
func (t *Tail) settle(ctx context.Context, checked time.Time) error {
	settles := t.Sink.Settle()
	limit := checked.Add(-settles)
	if settles == 0 {
		limit = t.Now() // a file has it as soon as it is sent
	}
	n := 0
	for n < len(t.marks) && !t.marks[n].at.After(limit) {
		t.cursor = t.marks[n].upTo
		n++
	}
	t.marks = t.marks[n:]
	return t.save(ctx)
}

// Begin makes the tail read its cursor again, after another replica may have
// followed the log.
func (t *Tail) Begin() {
	t.loaded, t.marks = false, nil
	t.pause, t.retryAt = 0, time.Time{}
}

// load reads the cursor from the database, unless it is the one this tail stored.
func (t *Tail) load(ctx context.Context) error {
	v, at, err := t.read(ctx)
	if err != nil {
		return err
	}
	if t.loaded && v.Text == t.stored.Text && v.UpdatedAt.Equal(t.stored.UpdatedAt) {
		return nil
	}
	if t.loaded && at != t.cursor { // if equal, this tail stored it and the answer was lost
		t.Log.WarnContext(ctx, "the database has a different position for forwarding the audit log, as after a restore: continuing from there",
			"to", t.Name, "handed_on", t.cursor, "now", at)
	}
	t.loaded, t.stored, t.saved, t.cursor, t.sent, t.marks = true, v, at, at, at, nil
	return nil
}

// read returns the stored cursor; zero: none.
func (t *Tail) read(ctx context.Context) (v settings.Value, at int64, err error) {
	v, err = t.Store.Setting(ctx, t.key())
	if fault.Is(err, fault.NotFound) {
		return v, 0, nil
	}
	var c cursor
	if err == nil {
		if err = json.Unmarshal([]byte(v.Text), &c); err != nil {
			err = fmt.Errorf("audit log to %s: the cursor is not of its form: %w", t.Name, err)
		}
	}
	return v, c.LastID, err
}

// save does not overwrite a cursor that another process has moved: load takes it.
func (t *Tail) save(ctx context.Context) error {
	if t.cursor == t.saved && t.stored.Text != "" {
		return nil
	}
	text, err := json.Marshal(cursor{t.cursor})
	if err != nil {
		return err
	}
	v := settings.Value{Text: string(text), UpdatedAt: t.Now().UTC().Truncate(time.Microsecond)} // precision of the database
	swapped, err := t.Store.SwapSetting(ctx, t.key(), t.stored, v)
	if err == nil && swapped {
		t.stored, t.saved = v, t.cursor
	}
	return err
}
