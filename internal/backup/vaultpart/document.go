package vaultpart

import (
	"errors"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/backup/union"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/vault"
)

// How often a document is tried again: when another writer came between, and, with
// ever longer waits, when the vault does not answer. While it stays away, what follows
// is tried once each.
const (
	casTries  = 32
	awayTries = 5
	firstWait = 500 * time.Millisecond
)

func (w *Writer) persist(do func() (outcome, error)) (o outcome, err error) {
	wait := firstWait
	for contended, silent := 0, 0; ; {
		o, err = do()
		switch {
		case errors.Is(err, vault.ErrCAS):
			if contended++; contended == casTries {
				return o, fmt.Errorf("others are writing it all the time: %w", err)
			}
		case errors.Is(err, vault.ErrUnavailable):
			if silent++; silent == awayTries || w.away.Load() {
				w.away.Store(true)
				return o, err
			}
			select {
			case <-time.After(wait):
			case <-w.ctx.Done():
				return o, err
			}
			wait *= 2
		default:
			w.away.Store(false)
			return o, err
		}
	}
}

// write restores one document by check-and-set. Of a write whose answer was lost the
// next try finds that it is there.
func (w *Writer) write(d document) (outcome, error) {
	v, err := w.to.Get(w.ctx, d.path)
	if errors.Is(err, vault.ErrNotFound) {
		return w.create(d)
	}
	if err != nil {
		return kept, err
	}
	data, o, err := w.decide(d, v.Data)
	if err == nil && o != kept {
		_, err = w.to.Put(w.ctx, d.path, data, v.Number)
	}
	return o, err
}

// create writes one that is not there. A deleted one of a remote vault still counts.
func (w *Writer) create(d document) (outcome, error) {
	data, _, err := w.decide(d, nil)
	if err != nil {
		return written, err
	}
	if _, err = w.to.Put(w.ctx, d.path, data, 0); !errors.Is(err, vault.ErrCAS) {
		return written, err
	}
	deleted, notThere := w.to.Metadata(w.ctx, d.path)
	if errors.Is(notThere, vault.ErrNotFound) {
		return written, err
	}
	if notThere != nil {
		return written, notThere
	}
	if _, getErr := w.to.Get(w.ctx, d.path); !errors.Is(getErr, vault.ErrNotFound) {
		return written, err // another writer came between
	}
	_, err = w.to.Put(w.ctx, d.path, data, deleted.CurrentVersion)
	return written, err
}

// decide gives what is to stand in the vault, by what stands there now, nil for nothing.
func (w *Writer) decide(d document, present vault.Data) (data vault.Data, o outcome, err error) {
	class := ClassOf(d.path)
	if class == Secrets {
		data, changed, err := hwkey.Restored(d.data, present, w.foreign)
		switch {
		case err != nil, !changed:
			return data, kept, err
		case present == nil:
			return data, written, nil
		}
		return data, merged, nil
	}
	if present == nil || !present.Same(d.data) && w.foreign {
		return d.data, written, nil
	}
	return present, kept, nil
}

// finishSeal gives the vault the means to verify the backup's log.
func (w *Writer) finishSeal() error {
	if w.of.seal == nil {
		return nil
	}
	_, err := w.persist(func() (outcome, error) { return kept, chain.Learn(w.ctx, w.to, w.of.seal) })
	return err
}

// finishInstallation says whose the vault is, after all else.
func (w *Writer) finishInstallation() {
	data := w.of.installation
	if data == nil {
		return
	}
	if w.foreign && w.options.Over != union.Bare {
		w.done(installationPath, kept, nil)
		return
	}
	o, err := w.persist(func() (outcome, error) { return w.write(document{installationPath, data}) })
	w.done(installationPath, o, err)
}
