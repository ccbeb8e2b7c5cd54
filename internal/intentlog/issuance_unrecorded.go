package intentlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/vault"
)

// Unrecorded returns the newest entries that were logged and are not recorded, or not yet, newest
// first: at most limit, with a Number below before (zero: all), and of open ones those logged until
// openUntil. It reads no more documents than that takes.
func (l *Issuances) Unrecorded(ctx context.Context, before int64, openUntil time.Time, limit int) ([]Entry, error) {
	batches, err := l.kv.List(ctx, openPath)
	if err != nil {
		return nil, err
	}
	batches = below(loggedUntil(batches, openUntil), before, firstNumber)
	var found []Entry
	for len(found) < limit && len(batches) > 0 {
		part := batches[:min(atOnce, len(batches))]
		batches = batches[len(part):]
		entries, err := openEntries(ctx, l.kv, part)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if before == 0 || e.Number() < before {
				found = append(found, e)
			}
		}
	}
	// In this order, what is settled meanwhile is found here.
	names, err := l.kv.List(ctx, unrecordedPath)
	if err != nil {
		return nil, err
	}
	names = below(names, before, number)
	settled, err := unrecordedEntries(ctx, l.kv, names[:min(limit, len(names))])
	if err != nil {
		return nil, err
	}
	found = append(settled, found...) // of duplicates, the settled one counts
	slices.SortStableFunc(found, func(a, b Entry) int { return cmp.Compare(b.ID, a.ID) })
	found = slices.CompactFunc(found, func(a, b Entry) bool { return a.ID == b.ID })
	return found[:min(limit, len(found))], nil
}

// CountUnrecorded tells how many entries Unrecorded has in all: exactly, or at
// least so many, since an open batch counts as one.
func (l *Issuances) CountUnrecorded(ctx context.Context, openUntil time.Time) (total int, exact bool, err error) {
	batches, err := l.kv.List(ctx, openPath)
	if err != nil {
		return 0, false, err
	}
	open := len(loggedUntil(batches, openUntil))
	names, err := l.kv.List(ctx, unrecordedPath)
	return open + len(names), open == 0, err
}

func loggedUntil(batches []string, until time.Time) []string {
	after := fmt.Sprintf("%016d", until.UnixMicro()+1)
	return slices.DeleteFunc(batches, func(id string) bool { return id >= after })
}

// below returns the names, newest first, whose number is below before, if that is not zero.
func below(names []string, before int64, number func(name string) int64) []string {
	if before != 0 {
		names = slices.DeleteFunc(names, func(name string) bool { return number(name) >= before })
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(b, a) })
	return names
}

// number is that of an entry's name, and firstNumber that of a batch's first entry.
func number(id string) int64      { return Entry{ID: id}.Number() }
func firstNumber(id string) int64 { return number(id + "_000") }

// FindUnrecorded returns the entry of a serial number that is not recorded, or not yet; nil if
// there is none. It reads all entries, several at once, until it finds it: no document is named by
// the serial number.
func (l *Issuances) FindUnrecorded(ctx context.Context, serialNumber string) (*Entry, error) {
	var found *Entry
	errFound := errors.New("found")
	search := func(e Entry) error {
		if e.SerialNumber != serialNumber {
			return nil
		}
		found = &e
		return errFound
	}
	// In this order, a settled entry counts more than an open one, and what is settled meanwhile is
	// found.
	for _, each := range []func(context.Context, vault.KV, func(Entry) error) error{eachOpen, eachUnrecorded} {
		if err := each(ctx, l.kv, search); err != nil && !errors.Is(err, errFound) {
			return nil, err
		}
	}
	return found, nil
}

// NotRecorded returns the entries that are not recorded, or not yet, by serial number. It reads all
// of them.
func (l *Issuances) NotRecorded(ctx context.Context) (map[string]Entry, error) {
	found := map[string]Entry{}
	add := func(e Entry) error {
		if e.SerialNumber != "" {
			found[e.SerialNumber] = e
		}
		return nil
	}
	// In this order, a settled entry counts more than an open one.
	if err := eachOpen(ctx, l.kv, add); err != nil {
		return nil, err
	}
	return found, eachUnrecorded(ctx, l.kv, add)
}

// openEntries are those of open batches.
func openEntries(ctx context.Context, kv vault.KV, ids []string) ([]Entry, error) {
	batches, err := getAll(ctx, kv, within(openPath, ids), get[Batch])
	var entries []Entry
	for n, b := range batches {
		b.ID = ids[n]
		for i := range b.Entries {
			entries = append(entries, b.Entry(i))
		}
	}
	return entries, err
}

// unrecordedEntries returns the entries of documents that hold one each.
func unrecordedEntries(ctx context.Context, kv vault.KV, names []string) ([]Entry, error) {
	entries, err := getAll(ctx, kv, within(unrecordedPath, names), get[Entry])
	return slices.DeleteFunc(entries, func(e Entry) bool { return e.ID == "" }), err
}

func within(folder string, names []string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = folder + "/" + name
	}
	return paths
}

// getAll reads several documents at once and returns them in the order of the paths. A missing one
// is empty.
func getAll[T any](
	ctx context.Context, kv vault.KV, paths []string, get func(ctx context.Context, kv vault.KV, path string) (T, int, error),
) ([]T, error) {
	documents := make([]T, len(paths))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, path := range paths {
		group.Go(func() error {
			d, _, err := get(groupCtx, kv, path)
			if errors.Is(err, vault.ErrNotFound) {
				return nil
			}
			documents[i] = d
			return err
		})
	}
	err := group.Wait()
	return documents, err
}
