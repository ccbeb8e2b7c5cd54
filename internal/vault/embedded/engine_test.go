package embedded_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

func TestReopenKeepsEverything(t *testing.T) {
	t.Parallel()
	opts := options(t.TempDir())
	e := open(t, opts)
	must.Get(e.Put(t.Context(), "4711/secrets", vault.Data(`{"pin":"12345678"}`), 0))(t)
	must.OK(t, e.Revoke(t.Context(), vault.Revocation{Serial: "41aa", Reason: vault.KeyCompromise}))
	before := must.Get(e.CRL(t.Context()))(t)
	ca := must.Get(e.CA(t.Context()))(t)
	must.OK(t, e.Close())

	e = open(t, opts)
	got := must.Get(e.Get(t.Context(), "4711/secrets"))(t)
	if diff := cmp.Diff(vault.Data(`{"pin":"12345678"}`), got.Data); diff != "" {
		t.Error(diff)
	}
	after := must.Get(e.CRL(t.Context()))(t)
	if after.Number <= before.Number {
		t.Errorf("CRL number %d after %d", after.Number, before.Number)
	}
	again := must.Get(e.CA(t.Context()))(t)
	if diff := cmp.Diff(ca, again); diff != "" {
		t.Error("the CA changed")
	}
	if err := e.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}
