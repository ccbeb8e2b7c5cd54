package intentlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/vault"
)

const (
	// Overdue is the age at which an unsettled issuance is investigated: no request takes that
	// long.
	Overdue = 10 * time.Minute
	// maxDocument is how many entries one document holds at most: half of
	// vault.MaxDocument, roughly.
	maxDocument = 1000
	atOnce      = 16 // concurrent writes
)

// Settle moves open batches, whose entries all have an outcome, to where these
// belong: at most 1,000 entries. It may be repeated.
func (l *Issuances) Settle(ctx context.Context, batches ...Batch) error {
	var recorded issuanceDocument
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, b := range batches {
		for i := range b.Entries {
			e := b.Entry(i)
			if e.Outcome == Recorded {
				recorded.Entries = append(recorded.Entries, e)
				continue
			}
			group.Go(func() error { return l.putUnrecorded(groupCtx, e) })
		}
	}
	if len(recorded.Entries) > 0 {
		path := settledPath + "/" + l.now().UTC().Format(time.DateOnly) + "/" + l.name()
		group.Go(func() error { return l.put(groupCtx, path, recorded, 0) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	group, groupCtx = errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, b := range batches {
		group.Go(func() error { return l.kv.DestroyPath(groupCtx, openPath+"/"+b.ID) })
	}
	return group.Wait()
}

// putUnrecorded writes an entry's document, replacing an existing one.
func (l *Issuances) putUnrecorded(ctx context.Context, e Entry) error {
	path := unrecordedPath + "/" + e.ID
	err := l.put(ctx, path, e, 0)
	if !errors.Is(err, vault.ErrCAS) {
		return err
	}
	_, version, err := get[Entry](ctx, l.kv, path)
	if err != nil {
		return err
	}
	return l.put(ctx, path, e, version)
}

// OverdueBatches returns the ids of batches, of any process, that have been open
// for too long.
func (l *Issuances) OverdueBatches(ctx context.Context) ([]string, error) {
	ids, err := l.kv.List(ctx, openPath)
	if err != nil {
		return nil, err
	}
	limit := fmt.Sprintf("%016d", l.now().Add(-Overdue).UnixMicro())
	var out []string
	for _, id := range ids {
		if id < limit {
			out = append(out, id)
		}
	}
	return out, nil
}

// Open returns an open batch; nil when it has been settled.
func (l *Issuances) Open(ctx context.Context, id string) (*Batch, error) {
	b, _, err := get[Batch](ctx, l.kv, openPath+"/"+id)
	if errors.Is(err, vault.ErrNotFound) {
		return nil, nil
	}
	b.ID = id
	return &b, err
}

// Marks holds what was marked as recorded since a time.
type Marks struct {
	of      map[string]Issuance // the entries of some batches, by their names
	serials map[string]bool     // of all
}

// Marked reads what was marked as recorded of batches: a crash leaves them open as
// well. All that was settled since the first of them is read, once.
func (l *Issuances) Marked(ctx context.Context, batches []string) (Marks, error) {
	m := Marks{map[string]Issuance{}, map[string]bool{}}
	if len(batches) == 0 {
		return m, nil
	}
	asked := map[string]bool{}
	for _, id := range batches {
		asked[id] = true
	}
	since := Entry{ID: slices.Min(batches)}.At().Add(-time.Hour)
	err := EachRecordedIssuance(ctx, l.kv, since, func(e Entry) error {
		m.serials[e.SerialNumber] = true
		if asked[e.ID[:max(0, strings.LastIndexByte(e.ID, '_'))]] {
			m.of[e.ID] = e.Issuance
		}
		return nil
	})
	return m, err
}

// Entry returns one of those batches' entries as it was marked.
func (m Marks) Entry(b *Batch, index int) (marked Issuance, ok bool) {
	marked, ok = m.of[b.Entry(index).ID]
	return marked, ok
}

// Recorded tells whether a certificate is marked as recorded in any batch.
func (m Marks) Recorded(serialNumber string) bool { return m.serials[serialNumber] }

// Record notes that a certificate is the one of an entry.
func (m Marks) Record(serialNumber string) { m.serials[serialNumber] = true }
