package rollback_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// authority is a vault with all interfaces needed.
type authority interface {
	vault.Engine
	vault.RevokedLister
	vault.IssuedLister
	vault.Numbered
}

// place is where a side of an installation is stored, no matter who has it open.
type place interface {
	// killed leaves it as it is at this moment: anyone who still has it open no longer changes it.
	killed()
	// copied returns a copy; only the files' owner may have it open.
	copied() any
	// put replaces it with a copy; nobody may have it open.
	put(kept any)
}

// databasePlace and vaultPlace can be opened.
type databasePlace interface {
	place
	open(now func() time.Time) (*store.DB, error)
}

type vaultPlace interface {
	place
	open(now func() time.Time) (authority, error)
}

// newPlaces returns the places of the engines under test; without copies, the
// vault's may be one that is never copied or restored, which is cheaper.
func newPlaces(t *testing.T, copies bool) (databasePlace, vaultPlace) {
	t.Helper()
	var db databasePlace = &databaseFile{files{t: t, dir: t.TempDir(), names: []string{"keyward.db", "keyward.db-wal", "keyward.db-shm"}}}
	if engine.OnPostgres() {
		db = &databaseServer{t, engine.Postgres(t)}
	}
	var vaults vaultPlace = &vaultFile{files{t: t, dir: t.TempDir(), names: []string{"vault.db"}}, filepath.Join(t.TempDir(), "seal.key")}
	if vaultserver.Wanted(t) {
		if !copies {
			return db, mounts{vaultserver.Shared(t).Prepared(t)}
		}
		k := vaultserver.StartKept(t)
		vaults = &vaultServer{t, k, k.Prepared(t)}
	}
	return db, vaults
}

// files are a side's files in a directory.
type files struct {
	t     *testing.T
	dir   string
	names []string
}

func (f *files) copied() any {
	kept := map[string][]byte{}
	for _, name := range f.names {
		raw, err := os.ReadFile(filepath.Join(f.dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		must.OK(f.t, err)
		kept[name] = raw
	}
	return kept
}

func (f *files) put(kept any) {
	for _, name := range f.names {
		raw, there := kept.(map[string][]byte)[name]
		if !there {
			if err := os.Remove(filepath.Join(f.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				f.t.Fatal(err)
			}
			continue
		}
		must.OK(f.t, os.WriteFile(filepath.Join(f.dir, name), raw, 0o600))
	}
}

// killed continues in another directory.
func (f *files) killed() {
	lies := f.copied()
	former := f.dir
	f.dir = must.Get(os.MkdirTemp(filepath.Dir(former), "next"))(f.t)
	f.put(lies)
	must.OK(f.t, os.RemoveAll(former)) // an open file stays readable to the end
}

type databaseFile struct{ files }

func (f *databaseFile) open(now func() time.Time) (*store.DB, error) {
	return store.OpenSQLite(context.Background(), filepath.Join(f.dir, "keyward.db"), store.Options{Now: now})
}

type vaultFile struct {
	files

	seal string
}

func (f *vaultFile) open(now func() time.Time) (authority, error) {
	return embedded.Open(context.Background(), embedded.Options{
		Path: filepath.Join(f.dir, "vault.db"), Seal: embedded.FileSeal(f.seal), PublicBase: "http://localhost",
		CAKeyType: piv.ECP256, Logger: slog.New(slog.DiscardHandler), Role: vault.DefaultRole(), Now: now,
	})
}

// databaseServer is a PostgreSQL database; a killed server leaves what it committed.
type databaseServer struct {
	t   *testing.T
	url string
}

func (s *databaseServer) open(now func() time.Time) (*store.DB, error) {
	return store.OpenPostgres(context.Background(), store.Server{URL: secret.New(s.url)}, store.Options{Now: now})
}

func (s *databaseServer) killed()      {}
func (s *databaseServer) copied() any  { return postgrestest.Keep(s.t, s.url) }
func (s *databaseServer) put(kept any) { s.url = postgrestest.Copy(s.t, kept.(string)) }

// vaultServer is a Vault, which is restored from a snapshot as a whole.
type vaultServer struct {
	t       *testing.T
	server  *vaultserver.Kept
	options remote.Options
}

func (s *vaultServer) open(func() time.Time) (authority, error) {
	o := s.options
	o.Address = s.server.Address
	return remote.Open(context.Background(), o)
}

func (s *vaultServer) killed()      {}
func (s *vaultServer) copied() any  { return s.server.Snapshot(s.t) }
func (s *vaultServer) put(kept any) { s.server.Restore(s.t, kept.(string)) }

// mounts are those of a shared Vault.
type mounts struct{ options remote.Options }

func (m mounts) open(func() time.Time) (authority, error) {
	return remote.Open(context.Background(), m.options)
}
func (mounts) killed()     {}
func (mounts) copied() any { panic("nobody copies a server that others use") }
func (mounts) put(any)     { panic("nobody puts back a server that others use") }
