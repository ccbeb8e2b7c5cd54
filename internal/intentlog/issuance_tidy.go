package intentlog

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/vault"
)

// keep is how long an entry stays after its certificate has ended, or, without a certificate, after
// it was logged.
const keep = 90 * 24 * time.Hour

// Tidy merges the documents of each past day, and removes what ended long ago. One process does so
// at a time.
func (l *Issuances) Tidy(ctx context.Context) error {
	days, err := l.kv.List(ctx, settledPath)
	if err != nil {
		return err
	}
	today := l.now().Add(-time.Hour).UTC().Format(time.DateOnly) // the writers' clocks may differ by an hour
	for _, day := range days {
		if day = strings.TrimSuffix(day, "/"); day < today {
			if err := l.tidyDay(ctx, day); err != nil {
				return err
			}
		}
	}
	return l.expire(ctx)
}

// tidyDay merges a day's entries, each once, into as few documents as possible.
func (l *Issuances) tidyDay(ctx context.Context, day string) error {
	folder := settledPath + "/" + day
	names, err := l.kv.List(ctx, folder)
	if err != nil {
		return err
	}
	var recorded []Entry
	for _, name := range names {
		d, _, err := get[issuanceDocument](ctx, l.kv, folder+"/"+name)
		if errors.Is(err, vault.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		recorded = append(recorded, d.Entries...)
	}
	kept, err := l.keptOf(ctx, day)
	if err != nil {
		return err
	}
	recorded = slices.DeleteFunc(recorded, func(e Entry) bool { return kept[e.ID] })
	// Of duplicates, keep the one that says more.
	slices.SortFunc(recorded, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(b.SerialNumber, a.SerialNumber))
	})
	recorded = slices.CompactFunc(recorded, func(a, b Entry) bool { return a.ID == b.ID })
	for part := range slices.Chunk(recorded, maxDocument) {
		if err := l.put(ctx, keptPath+"/"+ends(part)+"_"+day+"_"+l.name(), issuanceDocument{part}, 0); err != nil {
			return err
		}
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, name := range names {
		group.Go(func() error { return l.kv.DestroyPath(groupCtx, folder+"/"+name) })
	}
	return group.Wait()
}

// keptOf returns the entries of a day that were merged before: the sources were not removed then,
// or one came late.
func (l *Issuances) keptOf(ctx context.Context, day string) (ids map[string]bool, err error) {
	names, err := l.kv.List(ctx, keptPath)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return keptDay(name) != day })
	ids = map[string]bool{}
	err = eachOf(ctx, l.kv, within(keptPath, names), func(e Entry) error { ids[e.ID] = true; return nil })
	return ids, err
}

// ends is the day on which the last of these certificates ends.
func ends(entries []Entry) (day string) {
	for _, e := range entries {
		day = max(day, e.NotAfter.UTC().Format(time.DateOnly))
	}
	return day
}

// keptDay is the day on which a document's entries were settled.
func keptDay(name string) string {
	_, rest, _ := strings.Cut(name, "_")
	day, _, _ := strings.Cut(rest, "_")
	return day
}

// expire removes what ended long ago.
func (l *Issuances) expire(ctx context.Context) error {
	limit := l.now().Add(-keep)
	names, err := l.kv.List(ctx, keptPath)
	if err != nil {
		return err
	}
	for _, name := range names {
		if ends, _, _ := strings.Cut(name, "_"); ends >= limit.UTC().Format(time.DateOnly) {
			break // sorted
		}
		if err := l.kv.DestroyPath(ctx, keptPath+"/"+name); err != nil {
			return err
		}
	}
	if names, err = l.kv.List(ctx, unrecordedPath); err != nil {
		return err
	}
	for _, name := range names {
		e, _, err := get[Entry](ctx, l.kv, unrecordedPath+"/"+name)
		if errors.Is(err, vault.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if !e.At().Before(limit) {
			break // sorted
		}
		if e.NotAfter.Before(limit) {
			if err := l.kv.DestroyPath(ctx, unrecordedPath+"/"+name); err != nil {
				return err
			}
		}
	}
	return nil
}
