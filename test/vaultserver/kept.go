package vaultserver

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// Kept is a server whose storage is in a directory, so that it can be restored: a
// snapshot is a copy of that directory, made while the server is stopped.
type Kept struct {
	*Server

	data string
}

// StartKept is Start for such a server.
func StartKept(t testing.TB) *Kept {
	t.Helper()
	dir := t.TempDir()
	k := &Kept{&Server{pair: must.Get(newPair(dir, nil))(t)}, filepath.Join(dir, "data")}
	k.CACert = k.pair.ca
	must.OK(t, k.launch(alone, "--data", k.data))
	t.Cleanup(func() { k.Stop() }) // of the program that runs then
	must.OK(t, k.begin(alone))
	return k
}

// Snapshot returns a copy of the storage, in a directory that is removed with the test.
// The server is then a new process at another address.
func (k *Kept) Snapshot(t testing.TB) (dir string) {
	t.Helper()
	k.Stop()
	dir = filepath.Join(t.TempDir(), "snapshot")
	must.OK(t, os.CopyFS(dir, os.DirFS(k.data)))
	k.again(t)
	return dir
}

// Restore replaces the storage with a snapshot. The server is then a new process at
// another address.
func (k *Kept) Restore(t testing.TB, snapshot string) {
	t.Helper()
	k.Stop()
	must.OK(t, os.RemoveAll(k.data))
	must.OK(t, os.CopyFS(k.data, os.DirFS(snapshot)))
	k.again(t)
}

func (k *Kept) again(t testing.TB) {
	t.Helper()
	must.OK(t, k.launch(alone, "--data", k.data))
	k.Unseal(t)
}
