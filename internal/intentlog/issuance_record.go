package intentlog

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

// Issuances is the log of certificates. Create it with NewIssuances. Its methods are safe
// for concurrent use.
type Issuances struct {
	kv  vault.KV
	now func() time.Time

	batches batcher[*pending]
	moving  sync.Mutex // one Flush at a time

	mu   sync.Mutex
	open map[string]*Batch // by id: written by this process, with intents that are not concluded
}

// NewIssuances returns the log. It writes nothing yet.
func NewIssuances(kv vault.KV, now func() time.Time) *Issuances {
	return &Issuances{kv: kv, now: now, open: map[string]*Batch{}}
}

// Newest returns the newest entries of the log's vault; see the function Newest.
func (l *Issuances) Newest(ctx context.Context) ([]Entry, error) { return NewestIssuances(ctx, l.kv) }

// maxBatch is how many entries a batch holds at most; Number counts on it.
const maxBatch = 256

// Intent is an issuance that was recorded before its signature.
type Intent struct {
	batch string
	index int
}

// name returns a unique name that sorts by time.
func (l *Issuances) name() string {
	return fmt.Sprintf("%016d_%s", l.now().UnixMicro(), strings.ToLower(rand.Text()[:8]))
}

// pending is an issuance that waits for its batch to be written.
type pending struct {
	Issuance

	batch *Batch // nil: not begun; under Issuances.mu
	index int
}

// Record logs what is about to be signed. It is durable when the error is nil:
// only then may the certificate be signed.
func (l *Issuances) Record(ctx context.Context, i Issuance) (Intent, error) {
	p := &pending{Issuance: i}
	err := l.batches.do(ctx, "", p, func() func(context.Context, []*pending) error { return l.write })
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil:
		return Intent{p.batch.ID, p.index}, nil
	case p.batch == nil: // it may still be written, and the caller signs nothing
		p.Outcome = NotSigned
	default:
		p.batch.Entries[p.index].Outcome = NotSigned
	}
	return Intent{}, err
}

func (l *Issuances) write(ctx context.Context, waiting []*pending) error {
	for part := range slices.Chunk(waiting, maxBatch) {
		b := &Batch{ID: l.name(), At: l.now().UTC()}
		l.mu.Lock()
		for i, p := range part {
			p.batch, p.index = b, i
			b.Entries = append(b.Entries, p.Issuance)
		}
		written := Batch{At: b.At, Entries: slices.Clone(b.Entries)}
		l.mu.Unlock()
		if err := l.put(ctx, openPath+"/"+b.ID, written, 0); err != nil {
			return err
		}
		l.mu.Lock()
		l.open[b.ID] = b
		l.mu.Unlock()
	}
	return nil
}

func (l *Issuances) put(ctx context.Context, path string, document any, cas int) error {
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
func (l *Issuances) Conclude(intent Intent, i Issuance) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.open[intent.batch]; b != nil {
		b.Entries[intent.index] = i
	}
}

// Flush writes what became of this process's batches that are concluded as a
// whole.
func (l *Issuances) Flush(ctx context.Context) error {
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
