package embedded_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/vault"
)

func TestReopenKeepsEverything(t *testing.T) {
	t.Parallel()
	opts := options(t.TempDir())
	e := open(t, opts)
	if _, err := e.Put(t.Context(), "4711/secrets", vault.Data(`{"pin":"12345678"}`), 0); err != nil {
		t.Fatal(err)
	}
	if err := e.Revoke(t.Context(), vault.Revocation{Serial: "41aa", Reason: vault.KeyCompromise}); err != nil {
		t.Fatal(err)
	}
	before, err := e.CRL(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ca, err := e.CA(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}

	e = open(t, opts)
	got, err := e.Get(t.Context(), "4711/secrets")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(vault.Data(`{"pin":"12345678"}`), got.Data); diff != "" {
		t.Error(diff)
	}
	after, err := e.CRL(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if after.Number <= before.Number {
		t.Errorf("CRL number %d after %d", after.Number, before.Number)
	}
	again, err := e.CA(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ca, again); diff != "" {
		t.Error("the CA changed")
	}
	if err := e.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}
