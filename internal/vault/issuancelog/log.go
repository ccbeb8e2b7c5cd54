package issuancelog

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// Log writes the log. Make it with New.
type Log struct {
	kv  vault.KV
	now func() time.Time

	writing sync.Mutex // one batch is written at a time; meanwhile the next one gathers
	moving  sync.Mutex // likewise for settled sheets

	mu      sync.Mutex
	next    *taking           // gathers entries
	waiting map[string]*Sheet // by id: written by this process and not settled yet
}

// New makes a log in the vault.
func New(kv vault.KV, now func() time.Time) *Log {
	return &Log{kv: kv, now: now, waiting: map[string]*Sheet{}}
}

// Newest returns the newest entries of the log's vault; see the function Newest.
func (l *Log) Newest(ctx context.Context) ([]Entry, error) { return Newest(ctx, l.kv) }

// maxSheet is how many entries a sheet holds at most; Number relies on it.
const maxSheet = 256

// taking is a sheet that gathers entries until it is written.
type taking struct {
	Sheet

	written chan struct{}
	err     error // valid once written is closed
}

// Place is where an issuance was logged; the zero Place means nowhere.
type Place struct {
	id    string
	index int
}

// name returns a unique name that sorts by time.
func (l *Log) name() string {
	return fmt.Sprintf("%016d_%s", l.now().UnixMicro(), strings.ToLower(rand.Text()[:8]))
}

// TakeDown logs an issuance. It is durable when TakeDown returns nil: only then may the certificate
// be signed.
func (l *Log) TakeDown(ctx context.Context, i Issuance) (Place, error) {
	l.mu.Lock()
	t := l.next
	first := t == nil || len(t.Entries) == maxSheet
	if first {
		t = &taking{Sheet: Sheet{ID: l.name()}, written: make(chan struct{})}
		l.next = t
	}
	t.Entries = append(t.Entries, i)
	place := Place{t.ID, len(t.Entries) - 1}
	l.mu.Unlock()
	if first {
		// Others wait for this write, so it must not end with the first caller.
		go l.write(context.WithoutCancel(ctx), t)
	}
	select {
	case <-t.written:
		if t.err != nil {
			return Place{}, t.err
		}
		return place, nil
	case <-ctx.Done(): // nothing is signed for a caller that has gone
		l.mu.Lock()
		t.Entries[place.index].Outcome = NotSigned
		l.mu.Unlock()
		return Place{}, fmt.Errorf("%w: %w", vault.ErrUnavailable, ctx.Err())
	}
}

// writeTimeout is how long the vault may take for a sheet.
const writeTimeout = 20 * time.Second

func (l *Log) write(ctx context.Context, t *taking) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	if l.next == t {
		l.next = nil
	}
	t.At = l.now().UTC()
	written := Sheet{At: t.At, Entries: slices.Clone(t.Entries)} // nothing is added from here on
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	t.err = l.put(ctx, openPath+"/"+t.ID, written, 0)
	if t.err == nil {
		l.mu.Lock()
		l.waiting[t.ID] = &t.Sheet
		l.mu.Unlock()
	}
	close(t.written)
}

func (l *Log) put(ctx context.Context, path string, document any, cas int) error {
	data, err := vault.Encode(document)
	if err == nil {
		_, err = l.kv.Put(ctx, path, data, cas)
	}
	return err
}

// get returns vault.ErrNotFound if there is no such document.
func get[T any](ctx context.Context, kv vault.KV, path string) (document T, version int, err error) {
	v, err := kv.Get(ctx, path)
	if err != nil {
		return document, 0, err
	}
	if err := v.Data.Decode(&document); err != nil {
		return document, 0, fmt.Errorf("%s in the vault is not a page of the issuance log: find out what wrote it, and delete it (%w)", path, err)
	}
	return document, v.Number, nil
}

// Complete adds what is known of an issuance by now. It writes nothing: Flush does, once it is
// settled.
func (l *Log) Complete(p Place, change func(*Issuance)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if sheet := l.waiting[p.id]; sheet != nil {
		change(&sheet.Entries[p.index])
	}
}

// Settle sets an issuance's outcome. It writes nothing: Flush does.
func (l *Log) Settle(p Place, o Outcome) {
	l.Complete(p, func(i *Issuance) { i.Outcome = o })
}

// Flush writes the sheets of this process whose entries are all settled.
func (l *Log) Flush(ctx context.Context) error {
	l.moving.Lock()
	defer l.moving.Unlock()
	var ready []Sheet
	l.mu.Lock()
	for id, p := range l.waiting {
		switch {
		case p.settled():
			ready = append(ready, *p)
		case l.now().Sub(p.At) > Overdue: // reconciliation asks the vault and the database instead
			delete(l.waiting, id)
		}
	}
	l.mu.Unlock()
	slices.SortFunc(ready, func(a, b Sheet) int { return strings.Compare(a.ID, b.ID) })
	var failed error
	for len(ready) > 0 && ctx.Err() == nil {
		part, entries := ready, 0
		for n := range ready {
			if entries += len(ready[n].Entries); entries > maxDocument {
				part = ready[:n]
				break
			}
		}
		ready = ready[len(part):]
		if err := l.Conclude(ctx, part...); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		l.mu.Lock()
		for _, p := range part {
			delete(l.waiting, p.ID)
		}
		l.mu.Unlock()
	}
	return failed
}
