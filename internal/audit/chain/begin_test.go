package chain_test

import (
	"errors"
	"testing"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestBegin: a vault has its key before anything is sealed, so that one restored
// from that time can go on; if anything was sealed, no key is created.
func TestBegin(t *testing.T) {
	t.Parallel()
	w := setup(t)
	must.OK(t, w.sealer.Begin(t.Context()))
	key := w.publicKeys()
	must.OK(t, w.sealer.Begin(t.Context()))
	w.sealed(2)
	w.good()
	if !key[0].Equal(w.publicKeys()[0]) {
		t.Error("it was sealed with another key")
	}

	empty := engine.Vault(t, t.TempDir(), nil)
	must.OK(t, w.newSealer(w.db, empty).Begin(t.Context()))
	if _, err := empty.Get(t.Context(), "audit_seal/key"); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("another key: %v", err)
	}
}
