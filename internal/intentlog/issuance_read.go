package intentlog

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

// EachIssuance yields every entry, whatever became of it, some of them twice, until the callback returns an
// error.
func EachIssuance(ctx context.Context, kv vault.KV, each func(Entry) error) error {
	// In this order, what moves meanwhile is found at its destination.
	if err := eachOpen(ctx, kv, each); err != nil {
		return err
	}
	if err := eachUnrecorded(ctx, kv, each); err != nil {
		return err
	}
	return EachRecordedIssuance(ctx, kv, time.Time{}, each)
}

// EachRecordedIssuance yields the entries marked as recorded, some of them twice: those that may have been
// marked since a time, or all if it is zero.
func EachRecordedIssuance(ctx context.Context, kv vault.KV, since time.Time, each func(Entry) error) error {
	paths, err := recordedPaths(ctx, kv, since)
	if err != nil {
		return err
	}
	if err := eachOf(ctx, kv, paths, each); err != nil {
		return err
	}
	names, err := kv.List(ctx, keptPath)
	if err != nil {
		return err
	}
	var kept []string
	for _, name := range names {
		if since.IsZero() || keptDay(name) >= since.UTC().Format(time.DateOnly) {
			kept = append(kept, keptPath+"/"+name)
		}
	}
	return eachOf(ctx, kv, kept, each)
}

// recordedPaths returns the documents that Tidy has not merged, oldest first.
func recordedPaths(ctx context.Context, kv vault.KV, since time.Time) (paths []string, err error) {
	days, err := kv.List(ctx, settledPath)
	if err != nil {
		return nil, err
	}
	for _, day := range days {
		day = strings.TrimSuffix(day, "/")
		if !since.IsZero() && day < since.UTC().Format(time.DateOnly) {
			continue
		}
		names, err := kv.List(ctx, settledPath+"/"+day)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			paths = append(paths, settledPath+"/"+day+"/"+name)
		}
	}
	return paths, nil
}

// eachOf yields the recorded entries of documents. A document that is gone was merged into others,
// which follow.
func eachOf(ctx context.Context, kv vault.KV, paths []string, each func(Entry) error) error {
	for part := range slices.Chunk(paths, atOnce) {
		documents, err := getAll(ctx, kv, part, get[issuanceDocument])
		if err != nil {
			return err
		}
		for _, d := range documents {
			for _, e := range d.Entries {
				if err := each(e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func eachOpen(ctx context.Context, kv vault.KV, each func(Entry) error) error {
	return eachIn(ctx, kv, openPath, openEntries, each)
}

func eachUnrecorded(ctx context.Context, kv vault.KV, each func(Entry) error) error {
	return eachIn(ctx, kv, unrecordedPath, unrecordedEntries, each)
}

// eachIn yields the entries of a folder's documents.
func eachIn(
	ctx context.Context, kv vault.KV, folder string, read func(context.Context, vault.KV, []string) ([]Entry, error),
	each func(Entry) error,
) error {
	names, err := kv.List(ctx, folder)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(names, 4*atOnce) {
		entries, err := read(ctx, kv, part)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := each(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// newestDocuments are enough to see whether a database is older than the log.
const newestDocuments = 4

// NewestIssuances returns the entries that were marked as recorded last: those of the last few documents.
func NewestIssuances(ctx context.Context, kv vault.KV) (entries []Entry, err error) {
	collect := func(e Entry) error { entries = append(entries, e); return nil }
	paths, err := recordedPaths(ctx, kv, time.Time{})
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 { // nothing was issued since Tidy
		kept, err := kv.List(ctx, keptPath)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(kept, func(a, b string) int { return strings.Compare(keptDay(a), keptDay(b)) })
		for _, name := range kept {
			paths = append(paths, keptPath+"/"+name)
		}
	}
	err = eachOf(ctx, kv, paths[max(0, len(paths)-newestDocuments):], collect)
	return entries, err
}
