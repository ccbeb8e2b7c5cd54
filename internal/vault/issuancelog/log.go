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
	moving  sync.Mutex // one Flush at a time

	mu   sync.Mutex
	next *gathering        // collects intents until it is written
	open map[string]*Batch // by id: written by this process, with intents that are not concluded
}

// New makes a log in the vault.
func New(kv vault.KV, now func() time.Time) *Log {
	return &Log{kv: kv, now: now, open: map[string]*Batch{}}
}

// Newest returns the newest entries of the log's vault; see the function Newest.
func (l *Log) Newest(ctx context.Context) ([]Entry, error) { return Newest(ctx, l.kv) }

// maxBatch is how many entries a batch holds at most; Number counts on it.
const maxBatch = 256

// gathering is a batch that is not written yet.
type gathering struct {
	Batch

	written chan struct{}
	err     error // valid once written is closed
}

// Intent is an issuance that was recorded before its signature.
type Intent struct {
	batch string
	index int
}

// name returns a unique name that sorts by time.
func (l *Log) name() string {
	return fmt.Sprintf("%016d_%s", l.now().UnixMicro(), strings.ToLower(rand.Text()[:8]))
}

// Record logs what is about to be signed. It is durable when the error is nil:
// only then may the certificate be signed.
func (l *Log) Record(ctx context.Context, i Issuance) (Intent, error) {
	l.mu.Lock()
	g := l.next
	first := g == nil || len(g.Entries) == maxBatch
	if first {
		g = &gathering{Batch: Batch{ID: l.name()}, written: make(chan struct{})}
		l.next = g
	}
	g.Entries = append(g.Entries, i)
	intent := Intent{g.ID, len(g.Entries) - 1}
	l.mu.Unlock()
	if first {
		// Others wait for this write, so it goes on without the caller.
		go l.write(context.WithoutCancel(ctx), g)
	}
	select {
	case <-g.written:
		return intent, g.err
	case <-ctx.Done(): // the caller signs nothing
		l.mu.Lock()
		g.Entries[intent.index].Outcome = NotSigned
		l.mu.Unlock()
		return Intent{}, fmt.Errorf("%w: %w", vault.ErrUnavailable, ctx.Err())
	}
}

// writeTimeout bounds the write of a batch.
const writeTimeout = 20 * time.Second

func (l *Log) write(ctx context.Context, g *gathering) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	if l.next == g {
		l.next = nil // closed: nobody adds to it any more
	}
	g.At = l.now().UTC()
	written := Batch{At: g.At, Entries: slices.Clone(g.Entries)}
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	g.err = l.put(ctx, openPath+"/"+g.ID, written, 0)
	if g.err == nil {
		l.mu.Lock()
		l.open[g.ID] = &g.Batch
		l.mu.Unlock()
	}
	close(g.written)
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

// Conclude notes what became of an intent: the issuance with its outcome. Flush
// writes it.
func (l *Log) Conclude(intent Intent, i Issuance) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.open[intent.batch]; b != nil {
		b.Entries[intent.index] = i
	}
}

// Flush writes what became of this process's batches that are concluded as a
// whole.
func (l *Log) Flush(ctx context.Context) error {
	l.moving.Lock()
	defer l.moving.Unlock()
	var ready []Batch
	l.mu.Lock()
	for id, b := range l.open {
		switch {
		case b.concluded():
			ready = append(ready, *b)
		case l.now().Sub(b.At) > Overdue: // reconciling asks the vault and the database instead
			delete(l.open, id)
		}
	}
	l.mu.Unlock()
	slices.SortFunc(ready, func(a, b Batch) int { return strings.Compare(a.ID, b.ID) })
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
		if err := l.Settle(ctx, part...); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		l.mu.Lock()
		for _, b := range part {
			delete(l.open, b.ID)
		}
		l.mu.Unlock()
	}
	return failed
}
