package vaultpart

import (
	"errors"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
)

// Attempts per document: after other writers' changes, and, with increasing waits,
// while the vault does not answer. While it stays away, later documents are tried once each.
const (
	casTries  = 32
	awayTries = 5
	firstWait = 500 * time.Millisecond
)

func (w *Writer) persist(do func() (action, error)) (o action, err error) {
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

// write restores one document by check-and-set. If the answer to a write was lost,
// the next attempt finds it done.
func (w *Writer) write(d document) (action, error) {
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

// create writes a missing document. A deleted one in a remote vault still has versions.
func (w *Writer) create(d document) (action, error) {
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
		return written, err // another writer was faster
	}
	_, err = w.to.Put(w.ctx, d.path, data, deleted.CurrentVersion)
	return written, err
}

// decide returns the document for the vault, given the present one, nil if none.
func (w *Writer) decide(d document, present vault.Data) (data vault.Data, o action, err error) {
	class := ClassOf(d.path)
	if class == Secrets {
		data, changed, err := custody.Restored(d.data, present, w.foreign)
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

// finishSeal gives the vault the keys to verify the backup's log.
func (w *Writer) finishSeal() error {
	if w.of.seal == nil {
		return nil
	}
	_, err := w.persist(func() (action, error) { return kept, chain.ImportVerificationKeys(w.ctx, w.to, w.of.seal) })
	return err
}

// finishInstallation writes the vault's installation after everything else.
func (w *Writer) finishInstallation() {
	data := w.of.installation
	if data == nil {
		return
	}
	if w.foreign && w.options.Over != restore.Empty {
		w.done(installationPath, kept, nil)
		return
	}
	o, err := w.persist(func() (action, error) { return w.write(document{installationPath, data}) })
	w.done(installationPath, o, err)
}
