package remote_test

import (
	"testing"

	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// open opens an engine until the test ends.
func open(t testing.TB, o remote.Options) *remote.Engine {
	t.Helper()
	e := must.Get(remote.Open(t.Context(), o))(t)
	t.Cleanup(func() { must.OK(t, e.Close()) })
	return e
}

// engine is one on mounts of its own, and the options that it was opened with.
func engine(t testing.TB) (*remote.Engine, remote.Options) {
	t.Helper()
	o := vaultserver.Shared(t).Prepared(t)
	return open(t, o), o
}
