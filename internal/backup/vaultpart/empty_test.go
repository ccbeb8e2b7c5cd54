package vaultpart_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/backup/vaultpart"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

// TestEmptyTarget: a vault's backup restores everything into a bare vault of either engine,
// and repeating it changes nothing.
func TestEmptyTarget(t *testing.T) {
	t.Parallel()
	for from, old := range makers {
		for to, bare := range makers {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				testEmptyTarget(t, old(t), bare(t), from == "embedded" && to == "embedded")
			})
		}
	}
}

func testEmptyTarget(t *testing.T, from, to engine, takesCA bool) {
	fill(t, from, lived())
	for _, path := range own {
		put(t, from, path, vault.Data(`{"is":"own"}`))
	}
	r := revocation(t, from, vaulttest.NewCSR(t, vaulttest.RSAKey()), time.Now().Truncate(time.Second))
	must.OK(t, from.Revoke(t.Context(), r))
	must.OK(t, from.RaiseCRL(t.Context(), vault.Active, 9, nil))
	before := must.Get(from.CRL(t.Context(), vault.Active))(t)
	put(t, to, installationID, vault.Data(`{"is":"made at the first start"}`))
	put(t, to, "_keyward/jwt", vault.Data(`{"is":"the new one's"}`))

	b := read(t, from)
	for range 2 {
		report := b.whole(t, to, vaultpart.Options{Over: restore.Empty, ReplaceCA: true})
		if takesCA == (len(report.Warnings) > 0) {
			t.Errorf("warnings: %v", report.Warnings)
		}
	}
	for path, data := range lived() {
		if vaultpart.ClassOf(path) != vaultpart.Secrets {
			has(t, to, path, data)
		}
	}
	has(t, to, "12345678/secrets", secrets("old", 6)) // written once
	has(t, to, "_keyward/jwt", vault.Data(`{"is":"the new one's"}`))
	has(t, to, "_keyward/recovery", nil)
	has(t, to, "backup_settings/storage", nil)
	same := bytes.Equal(must.Get(vault.ActiveCA(t.Context(), from))(t).Chain[0], must.Get(vault.ActiveCA(t.Context(), to))(t).Chain[0])
	if same != takesCA {
		t.Errorf("the CA is the backup's: %v", same)
	}
	if !takesCA {
		return
	}
	if after := must.Get(to.CRL(t.Context(), vault.Active))(t); after.Number <= before.Number {
		t.Errorf("CRL number %d after %d", after.Number, before.Number)
	}
	var there []vault.Revocation
	must.OK(t, to.Revoked(t.Context(), func(r vault.Revocation) error { there = append(there, r); return nil }))
	if len(there) != 1 || there[0].Serial != r.Serial || there[0].Reason != r.Reason || !there[0].At.Equal(r.At) {
		t.Errorf("revoked: %v, want %v", there, r)
	}
}
