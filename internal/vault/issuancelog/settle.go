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
	// Overdue is how old an issuance is before what became of it is looked for:
	// no request takes that long.
	Overdue = 10 * time.Minute
	// maxDocument is how many entries one document holds at most: half of
	// vault.MaxDocument, roughly.
	maxDocument = 1000
	atOnce      = 16 // writes that are on their way
)

// Conclude moves open sheets, whose entries are all settled, to where these
// belong: at most 1,000 entries. It may be repeated.
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

// putUnrecorded writes an entry's document; the last word counts.
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

// OverdueSheets gives the ids of the sheets that are open for too long, of any
// process.
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

// Open gives an open sheet; nil when it was settled meanwhile.
func (l *Log) Open(ctx context.Context, id string) (*Sheet, error) {
	s, _, err := get[Sheet](ctx, l.kv, openPath+"/"+id)
	if errors.Is(err, vault.ErrNotFound) {
		return nil, nil
	}
	s.ID = id
	return &s, err
}

// Marks are what was marked as recorded since a time.
type Marks struct {
	of      map[string]Issuance // the entries of some sheets, by their names
	serials map[string]bool     // of all
}

// Marked reads what was marked as recorded of sheets: a crash leaves them open as
// well. All that was settled since the first of them is read, once.
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

// Entry gives one of those sheets' entries as it was marked.
func (m Marks) Entry(s *Sheet, index int) (marked Issuance, ok bool) {
	marked, ok = m.of[s.Entry(index).ID]
	return marked, ok
}

// Recorded tells whether a certificate is marked as recorded in any sheet.
func (m Marks) Recorded(serialNumber string) bool { return m.serials[serialNumber] }

// Record puts down that a certificate is the one of an entry.
func (m Marks) Record(serialNumber string) { m.serials[serialNumber] = true }
