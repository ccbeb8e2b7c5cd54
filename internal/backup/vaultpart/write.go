package vaultpart

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
)

// Target is a vault to restore into.
type Target interface {
	vault.KV
	vault.PKI
	vault.Numbered
}

// Sharing is a target in which many writes become durable together. It may name a
// higher number of concurrent writes than usual.
type Sharing interface{ WritesAtOnce() int }

// Options are the options of a restore.
type Options struct {
	// Over is what the database part is restored over; empty means InUse: the vault may
	// then also be what remains of it, or new. Over Fresh everything is the backup's
	// except the installation's id, over Empty that, too.
	Over restore.Target
	// ReplaceCA replaces the vault's CA by the backup's, if different.
	ReplaceCA bool
	// Record, if not nil, gets the backup's revocations that the vault does not take:
	// the database may be older. It may be called concurrently.
	Record func(ctx context.Context, list []vault.Revocation) error
	// Now is the current time: CRLs were published since the backup.
	Now time.Time
	// Progress, if not nil, is called for each finished document, from any goroutine.
	Progress func(documents int64)
}

// Report counts what happened to a backup's documents.
type Report struct {
	Written  int64
	Kept     int64            // the vault's stayed, or was the same
	Merged   int64            // a token's, made of both
	Skipped  int64            // belong to another vault only
	Failed   map[string]error // by path
	Warnings []fault.Sentence
}

// Incomplete reports whether at least half of the documents could not be restored,
// so that the restore failed (specification, "Error responses"; contract, "Backup and restore").
func (r Report) Incomplete() bool {
	failed := int64(len(r.Failed))
	return failed > 0 && 2*failed >= failed+r.Written+r.Kept+r.Merged+r.Skipped
}

// Writer restores the documents of a backup. An interrupted restore may be repeated
// completely, also by another process: what is already there is kept.
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
	away    atomic.Bool // the vault did not answer last time

	mu     sync.Mutex
	report Report
}

// NewWriter begins to write what a survey has seen; End or Stop must follow.
// Conflict for a vault of another installation, unless the restore is over a bare or
// fresh one; VaultUnavailable.
func NewWriter(ctx context.Context, to Target, of *Survey, o Options) (*Writer, error) {
	w := &Writer{to: to, of: of, options: o, in: make(chan document), report: Report{Failed: map[string]error{}}}
	var err error
	if w.foreign, err = foreign(ctx, to, of); err != nil {
		return nil, vault.Fault(err)
	}
	if w.foreign && o.Over != restore.Fresh && o.Over != restore.Empty {
		return nil, fault.New(fault.Conflict, "backup_of_another_installation",
			"The backup is from another installation, and this one already has tokens or certificates. Restore "+
				"it on a separate computer with keyward restore.")
	}
	if w.ca, err = planCA(ctx, to, of, o); err != nil {
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

// foreign reports whether the vault has another installation's id than the backup.
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

// Put restores one secret of the file. Its error says that the survey has not seen
// it, or that the context ended; failures of the vault are in the report. It is for
// Archive.ReadSecrets, and not safe for concurrent use.
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

// Stop ends the writer, and waits for pending writes.
func (w *Writer) Stop() {
	w.cancel()
	w.workers.Wait()
}

// End waits for everything put, and finishes with what concerns the whole. Its error
// means that the restore must be repeated; the report has the failures of single documents.
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
	case Audit: // written last, with the first versions' documents
		w.done(d.path, kept, nil)
	case CA:
		if !isRevocations(d.path) { // also last
			w.done(d.path, kept, nil)
			return
		}
		o, err := w.persist(func() (action, error) { return w.revoke(d.data) })
		w.done(d.path, o, err)
	default:
		o, err := w.persist(func() (action, error) { return w.write(d) })
		w.done(d.path, o, err)
	}
}

// action is what happened to a document.
type action int

const (
	kept action = iota
	written
	merged
	skipped
)

func (w *Writer) done(path string, o action, err error) {
	if w.ctx.Err() != nil {
		return // no longer counted, and not the vault's fault
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
