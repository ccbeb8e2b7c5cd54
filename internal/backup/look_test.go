package backup_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/test/must"
)

// silentStore is a store that answers nothing.
type silentStore struct{ objstore.Store }

func (silentStore) Each(context.Context, func(objstore.Object) error) error {
	return objstore.Slow(nil)
}

// TestStoreLooked: the store is checked once backups are set up, and again after a
// while or for other settings, and its faults are reported.
func TestStoreLooked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	at := time.Date(2026, 5, 4, 2, 0, 0, 0, time.UTC)
	b.at(at)
	w := &backup.StoreWatch{Backups: b.Service}
	expect := func(name string, want backup.StoreState) {
		t.Helper()
		got := must.Get(w.Look(t.Context()))(t)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(backup.StoreState{}, "Latency", "Trouble")); diff != "" {
			t.Errorf("%s (-want +got): %s", name, diff)
		}
		if away := got.Trouble.Params["reason"] == "backup_store_slow"; away != (want.Trouble.Text != "") {
			t.Errorf("%s: trouble %q", name, got.Trouble)
		}
	}
	expect("before they are set up", backup.StoreState{})
	b.change(password, nil)
	is := backup.StoreState{Configured: true, Place: backup.Directory, Location: b.place, At: at}
	expect("set up", is)
	must.Get(b.make(t.Context(), archive.Full))(t)
	b.wrap = func(s objstore.Store) objstore.Store { return silentStore{s} }
	b.at(at.Add(20 * time.Second))
	expect("a moment later", is)
	b.at(at.Add(time.Minute))
	broken := is
	broken.Trouble.Text, broken.At = "it is away", at.Add(time.Minute)
	expect("away", broken)
	b.wrap = func(s objstore.Store) objstore.Store { return s }
	b.change("", func(s *backup.Settings) { s.RetentionDays++ })
	is.At, is.Backups = at.Add(time.Minute), 1
	expect("changed", is)
}
