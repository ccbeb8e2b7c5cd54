package issuancelog

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

// Conclude moves open sheets whose entries are all settled to their destinations: at most 1,000
// entries. It may be repeated.
func (l *Log) Conclude(ctx context.Context, sheets ...Sheet) error {
	var recorded document
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, s := range sheets {
		for i := range s.Entries {
			e := s.Entry(i)
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
	for _, s := range sheets {
		group.Go(func() error { return l.kv.DestroyPath(groupCtx, openPath+"/"+s.ID) })
	}
	return group.Wait()
}

// putUnrecorded writes an entry's document, replacing an existing one.
func (l *Log) putUnrecorded(ctx context.Context, e Entry) error {
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

// OverdueSheets returns the ids of the sheets, of any process, that have been open too long.
func (l *Log) OverdueSheets(ctx context.Context) ([]string, error) {
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

// Open returns an open sheet; nil if it was settled meanwhile.
func (l *Log) Open(ctx context.Context, id string) (*Sheet, error) {
	s, _, err := get[Sheet](ctx, l.kv, openPath+"/"+id)
	if errors.Is(err, vault.ErrNotFound) {
		return nil, nil
	}
	s.ID = id
	return &s, err
}

// Marks holds what was marked as recorded since a time.
type Marks struct {
	of      map[string]Issuance // entries of the requested sheets, by name
	serials map[string]bool     // of all
}

// Marked reads which entries of sheets were marked as recorded: a crash may leave such sheets open,
// too. It reads all that was settled since the oldest of them, once.
func (l *Log) Marked(ctx context.Context, sheets []string) (Marks, error) {
	m := Marks{map[string]Issuance{}, map[string]bool{}}
	if len(sheets) == 0 {
		return m, nil
	}
	asked := map[string]bool{}
	for _, id := range sheets {
		asked[id] = true
	}
	since := Entry{ID: slices.Min(sheets)}.At().Add(-time.Hour)
	err := EachRecorded(ctx, l.kv, since, func(e Entry) error {
		m.serials[e.SerialNumber] = true
		if asked[e.ID[:max(0, strings.LastIndexByte(e.ID, '_'))]] {
			m.of[e.ID] = e.Issuance
		}
		return nil
	})
	return m, err
}

// Entry returns an entry of those sheets as it was marked.
func (m Marks) Entry(s *Sheet, index int) (marked Issuance, ok bool) {
	marked, ok = m.of[s.Entry(index).ID]
	return marked, ok
}

// Recorded reports whether a certificate is marked as recorded in any sheet.
func (m Marks) Recorded(serialNumber string) bool { return m.serials[serialNumber] }

// Record notes that a certificate belongs to an entry.
func (m Marks) Record(serialNumber string) { m.serials[serialNumber] = true }
