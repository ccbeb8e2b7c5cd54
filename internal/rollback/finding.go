package rollback

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/vault"
)

// Finding says that one side is older; it lasts until someone accepts it, or the right
// state is restored.
//
// It is stored on the side that is not older, so that all servers see it; its id is also
// stored on the older side, to identify that state. If a comparison finds nothing and the
// id is gone, that side was replaced by another state, and the finding is over.
type Finding struct {
	ID    string    `json:"id"`
	At    time.Time `json:"at"`
	Lacks []Missing `json:"lacks"`
}

// widen adds new findings, and reports whether they add anything.
func (f *Finding) widen(lacks []Missing) bool {
	more := false
	for _, m := range lacks {
		i := slices.IndexFunc(f.Lacks, func(known Missing) bool { return known.What == m.What })
		if i < 0 {
			f.Lacks, more = append(f.Lacks, m), true
			continue
		}
		wider := f.Lacks[i].with(m)
		more = more || wider.Count > f.Lacks[i].Count || wider.AtLeast != f.Lacks[i].AtLeast
		f.Lacks[i] = wider
	}
	return more
}

// with merges two findings. Names that were cut off cannot be told apart: if the
// others have a new one, the count is a lower bound.
func (m Missing) with(other Missing) Missing {
	some := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(m.Some), other.Some...))))
	cut := m.Count > int64(len(m.Some)) || other.Count > int64(len(other.Some))
	m.AtLeast = m.AtLeast || other.AtLeast || cut && len(some) > len(m.Some)
	m.Count = max(m.Count, other.Count, int64(len(some)))
	m.Some = some[:min(len(some), maxSome)]
	return m
}

// recordPath is where the vault stores its epoch and findings.
const recordPath = "_keyward/recovery"

// record is the document at recordPath.
type record struct {
	Epoch uint64 `json:"epoch"` // only ever raised
	// DatabaseOlder is the finding about the database, if any.
	DatabaseOlder *Finding `json:"database_older,omitzero"`
	// OlderBy is the id of the finding about this vault, which is in the database.
	OlderBy string `json:"older_by,omitzero"`
	// Accepted counts how often an older database was accepted: a comparison begun
	// before must not write afterwards.
	Accepted uint64 `json:"accepted,omitzero"`
}

// readRecord also returns the document's version, 0 if there is none.
func readRecord(ctx context.Context, kv vault.KV) (r record, version int, err error) {
	v, err := kv.Get(ctx, recordPath)
	if errors.Is(err, vault.ErrNotFound) {
		return r, 0, nil
	}
	if err != nil {
		return r, 0, vault.Fault(err)
	}
	if v.Data.Decode(&r) != nil {
		return r, 0, errors.New(recordPath + " in the vault is malformed: find out what wrote it")
	}
	return r, v.Number, nil
}

// changeRecord writes the vault's document by check-and-set. change reports whether
// there is anything to write.
func changeRecord(ctx context.Context, kv vault.KV, change func(*record) bool) (record, error) {
	for {
		r, version, err := readRecord(ctx, kv)
		if err != nil || !change(&r) {
			return r, err
		}
		data, err := vault.Encode(r)
		if err != nil {
			return r, err
		}
		if _, err = kv.Put(ctx, recordPath, data, version); err == nil {
			return r, nil
		} else if !errors.Is(err, vault.ErrCAS) {
			return r, vault.Fault(err)
		}
		if version == 0 { // another server just created it, or someone deleted it
			if m, err := kv.Metadata(ctx, recordPath); err == nil && m.CurrentVersion > 0 {
				if _, err := kv.Get(ctx, recordPath); errors.Is(err, vault.ErrNotFound) {
					return r, errors.New(recordPath + " was deleted from the vault: undelete it, or destroy the path")
				}
			}
		}
	}
}

// Settings of the database.
const (
	vaultOlderSetting = "vault_older"       // the finding about the vault
	olderBySetting    = "database_older_by" // the id of the finding about the database, which is in the vault
)

// readSetting returns the zero Value and leaves into unchanged if there is none.
func readSetting(ctx context.Context, from settings.Store, name string, into any) (settings.Value, error) {
	v, err := from.Setting(ctx, name)
	if fault.Is(err, fault.NotFound) {
		return settings.Value{}, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(v.Text), into)
	}
	return v, err
}

func settingOf(value any, now time.Time) (settings.Value, error) {
	text, err := json.Marshal(value)
	return settings.Value{Text: string(text), UpdatedAt: now.UTC()}, err
}
