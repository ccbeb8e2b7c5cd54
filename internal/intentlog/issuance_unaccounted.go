package intentlog

import (
	"context"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// MarkUnaccounted marks as lost what an accepted older database lacks; nothing is ever revoked only
// because it is missing there. judge sets the outcome of open and recorded entries to Recorded or
// Lost; lost is how many have the latter. Nothing may be signed meanwhile; it may be repeated.
func (l *Issuances) MarkUnaccounted(ctx context.Context, judge func(entries []Entry) error) (lost int, err error) {
	if lost, err = l.markOpen(ctx, judge); err != nil {
		return lost, err
	}
	paths, err := recordedPaths(ctx, l.kv, time.Time{})
	if err != nil {
		return lost, err
	}
	kept, err := l.kv.List(ctx, keptPath)
	if err != nil {
		return lost, err
	}
	for _, name := range kept {
		paths = append(paths, keptPath+"/"+name)
	}
	for _, path := range paths {
		n, err := l.markRecorded(ctx, path, judge)
		if lost += n; err != nil {
			return lost, err
		}
	}
	return lost, nil
}

func (l *Issuances) markOpen(ctx context.Context, judge func([]Entry) error) (lost int, err error) {
	ids, err := l.kv.List(ctx, openPath)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		b, err := l.Open(ctx, id)
		if err != nil {
			return lost, err
		}
		if b == nil {
			continue
		}
		var unsettled []Entry
		var places []int
		for i, e := range b.Entries {
			if e.Outcome == "" {
				unsettled, places = append(unsettled, b.Entry(i)), append(places, i)
			}
		}
		if err := judge(unsettled); err != nil {
			return lost, err
		}
		for n, e := range unsettled {
			if b.Entries[places[n]] = e.Issuance; e.Outcome == Lost {
				lost++
			}
		}
		if err := l.Settle(ctx, *b); err != nil {
			return lost, err
		}
	}
	return lost, nil
}

// markRecorded moves lost entries out of a document of recorded ones.
func (l *Issuances) markRecorded(ctx context.Context, path string, judge func([]Entry) error) (lost int, err error) {
	d, version, err := get[issuanceDocument](ctx, l.kv, path)
	if errors.Is(err, vault.ErrNotFound) {
		return 0, nil
	}
	if err == nil {
		err = judge(d.Entries)
	}
	if err != nil {
		return 0, err
	}
	var stay issuanceDocument
	for _, e := range d.Entries {
		if e.Outcome == Recorded {
			stay.Entries = append(stay.Entries, e)
			continue
		}
		if err := l.putUnrecorded(ctx, e); err != nil {
			return lost, err
		}
		lost++
	}
	if lost == 0 {
		return 0, nil
	}
	return lost, l.put(ctx, path, stay, version)
}
