package vaultpart

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/backup/union"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// Target is a vault that a restore writes to.
type Target interface {
	vault.KV
	vault.PKI
	vault.Numbered
}

// Sharing is a target of which many writes become durable at once. It may name a number
// of those that wait together, above the usual one.
type Sharing interface{ WritesAtOnce() int }

// Options of a restore.
type Options struct {
	// Over is what it goes over, as its database half has it; nothing said is Living. Then
	// the vault may also be what is left of it, or new. Over Fresh everything is the
	// backup's but the installation's number, over Bare that, too.
	Over union.Kind
	// ReplaceCA makes the backup's CA the vault's, if that is another.
	ReplaceCA bool
	// Record, when not nil, is given the backup's revocations where the vault does not take them:
	// the database may be older than they are. It may be called by several goroutines.
	Record func(ctx context.Context, list []vault.Revocation) error
	// Now is when: lists were published since the backup.
	Now time.Time
	// Progress, when not nil, is told of each document that is done with, by any goroutine.
	Progress func(documents int64)
}

// Report is what became of a backup's documents.
type Report struct {
	Written  int64
	Kept     int64            // the vault's stayed, or it had the same
	Merged   int64            // of a token: made of both
	Skipped  int64            // of another vault alone
	Failed   map[string]error // by path
	Warnings []fault.Sentence
}

// Incomplete tells whether half of the documents or more could not be restored, so
// that the restore failed (specification, "Error responses"; contract, "Backup and
// restore").
func (r Report) Incomplete() bool {
	failed := int64(len(r.Failed))
	return failed > 0 && 2*failed >= failed+r.Written+r.Kept+r.Merged+r.Skipped
}

// Writer restores the documents of a backup. All of it may be done again, by another
// process, too, when it was cut off at any point: what is there already is kept.
type Writer struct {
	ctx     context.Context
	cancel  context.CancelFunc
	to      Target
	of      *Survey
	options Options
	ca      caPlan
	foreign bool // the vault is another installation's

	in      chan document
	workers sync.WaitGroup
	away    atomic.Bool // the vault did not answer the last time

	mu     sync.Mutex
	report Report
}

// NewWriter begins to write what a survey has seen; End or Stop must follow. Conflict
// for a vault of another installation, unless the restore is over none or a fresh one;
// VaultUnavailable.
func NewWriter(ctx context.Context, to Target, of *Survey, o Options) (*Writer, error) {
	w := &Writer{to: to, of: of, options: o, in: make(chan document), report: Report{Failed: map[string]error{}}}
	var err error
	if w.foreign, err = foreign(ctx, to, of); err != nil {
		return nil, vault.Fault(err)
	}
	if w.foreign && o.Over != union.Fresh && o.Over != union.Bare {
		return nil, fault.New(fault.Conflict, "backup_of_another_installation",
			"The backup is from another installation, and this one already has tokens or certificates. Restore "+
				"it on a separate computer with keyward restore.")
	}
	if w.ca, err = planCA(ctx, to, of, o.ReplaceCA); err != nil {
		return nil, vault.Fault(err)
	}
	w.ctx, w.cancel = context.WithCancel(ctx)
	writers := workers
	if s, ok := to.(Sharing); ok {
		writers = max(writers, s.WritesAtOnce())
	}
	for range writers {
		w.workers.Go(w.work)
	}
	return w, nil
}

// foreign tells whether the vault has the number of another installation than the
// backup.
func foreign(ctx context.Context, kv vault.KV, of *Survey) (bool, error) {
	if of.installation == nil {
		return false, nil
	}
	v, err := kv.Get(ctx, installationPath)
	if errors.Is(err, vault.ErrNotFound) {
		return false, nil
	}
	return err == nil && !v.Data.Same(of.installation), err
}

// Put takes one secret of the file. Its error says that it is not what the survey saw,
// or that the context has ended; what the vault does not take is in the report. It is
// for archive.ReadSecrets, and not for several goroutines.
func (w *Writer) Put(path string, data vault.Data) error {
	if !w.of.saw(path, data) {
		return errors.New("the backup has changed since it was checked: find out what wrote to its file, and start again")
	}
	select {
	case w.in <- document{path, data}:
		return nil
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}

// Stop ends the writer, and waits for what is under way.
func (w *Writer) Stop() {
	w.cancel()
	w.workers.Wait()
}

// End waits for all that was put, and finishes with what belongs to the whole. Its
// error says that the restore has to be done again; of single documents the report tells.
func (w *Writer) End() (Report, error) {
	close(w.in)
	w.workers.Wait()
	defer w.cancel()
	if err := w.ctx.Err(); err != nil {
		return w.report, err
	}
	if err := w.finishCA(); err != nil {
		return w.report, vault.Fault(err)
	}
	if err := w.finishSeal(); err != nil {
		return w.report, vault.Fault(err)
	}
	if !w.report.Incomplete() {
		w.finishInstallation()
	}
	return w.report, w.ctx.Err()
}

func (w *Writer) work() {
	for {
		select {
		case d, ok := <-w.in:
			if !ok {
				return
			}
			w.restore(d)
		case <-w.ctx.Done():
			return
		}
	}
}

func (w *Writer) restore(d document) {
	switch ClassOf(d.path) {
	case Own:
		w.done(d.path, skipped, nil)
	case Installation: // last
	case Audit: // with those that the first versions had instead
		w.done(d.path, kept, nil)
	case CA:
		if !isRevocations(d.path) { // last, too
			w.done(d.path, kept, nil)
			return
		}
		o, err := w.persist(func() (outcome, error) { return w.revoke(d.data) })
		w.done(d.path, o, err)
	default:
		o, err := w.persist(func() (outcome, error) { return w.write(d) })
		w.done(d.path, o, err)
	}
}

// outcome is what became of a document.
type outcome int

const (
	kept outcome = iota
	written
	merged
	skipped
)

func (w *Writer) done(path string, o outcome, err error) {
	if w.ctx.Err() != nil {
		return // it counts no more, and says nothing about the vault
	}
	w.mu.Lock()
	switch r := &w.report; {
	case err != nil:
		r.Failed[path] = err
	case o == written:
		r.Written++
	case o == merged:
		r.Merged++
	case o == skipped:
		r.Skipped++
	default:
		r.Kept++
	}
	w.mu.Unlock()
	if w.options.Progress != nil {
		w.options.Progress(1)
	}
}
