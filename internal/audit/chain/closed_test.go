package chain_test

import (
	"bytes"
	"testing"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestClosedKeys: a vault restored from a backup has a new key. The segments before
// it are verified with their own keys, and a former key can no longer be used to seal.
func TestClosedKeys(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.sealed(3, 2)
	former := w.vault
	restored := func(closing vault.Data) {
		t.Helper()
		w.vault = engine.Vault(t, t.TempDir(), nil)
		must.Get(w.vault.Put(t.Context(), chain.ClosedPath, closing, 0))(t)
		w.sealer = w.newSealer(w.db, w.vault)
	}
	closing := must.Get(chain.Closing(t.Context(), former))(t)
	document := func(path string) vault.Data { return must.Get(former.Get(t.Context(), path))(t).Data }
	if of := must.Get(chain.ClosingOf(document(chain.KeyPath), document(chain.HeadPath)))(t); !of.Same(closing) {
		t.Error("of the first versions' documents another one is made")
	}
	if bytes.Contains(closing, []byte("private")) {
		t.Error("it has the private key")
	}
	for range 2 { // the second backup is of a restored vault
		restored(closing)
		w.good() // before anything else: a drill only does this
		if err := w.sealer.Run(t.Context()); err == nil {
			t.Fatal("it is sealed past a segment that is over")
		}
		if !must.Get(w.sealer.SegmentDue(t.Context()))(t) {
			t.Fatal("no segment is due")
		}
		must.OK(t, w.sealer.BeginSegment(t.Context()))
		if must.Get(w.sealer.SegmentDue(t.Context()))(t) {
			t.Error("another segment is due")
		}
		w.sealed(2)
		w.good()
		closing = must.Get(chain.Closing(t.Context(), w.vault))(t)
	}
	if r := w.good(); r.Segments != 3 || r.Entries != 9 || len(w.publicKeys()) != 3 {
		t.Errorf("%+v, %d keys", r, len(w.publicKeys()))
	}

	// Someone with the first key rewrites history with it, up to the second segment.
	for _, text := range []string{
		"CREATE TABLE kept AS SELECT * FROM audit_batches WHERE segment > 1", "DELETE FROM audit_batches",
		"UPDATE audit_entries SET actor = 'nobody' WHERE id = 2", "CREATE TABLE later AS SELECT * FROM audit_entries WHERE id > 5",
		"DELETE FROM audit_entries WHERE id > 5",
	} {
		w.tamper(text)
	}
	must.OK(t, former.DestroyPath(t.Context(), chain.HeadPath))
	must.OK(t, w.newSealer(w.db, former).Run(t.Context()))
	w.bad() // all after it is gone
	w.tamper("INSERT INTO audit_entries SELECT * FROM later")
	must.OK(t, w.newSealer(w.db, former).Run(t.Context()))
	w.bad() // sealed with the first key
	w.tamper("DELETE FROM audit_batches WHERE id > 1")
	w.tamper("INSERT INTO audit_batches SELECT * FROM kept")
	w.bad() // the second segment names another end of the first
}

// TestLearn: former keys known to a backup are added to the vault's.
func TestLearn(t *testing.T) {
	t.Parallel()
	var closings []vault.Data
	var ours []*world
	for range 2 {
		w := setup(t)
		w.sealed(1)
		ours, closings = append(ours, w), append(closings, must.Get(chain.Closing(t.Context(), w.vault))(t))
	}
	keys := func(kv vault.KV) (n int) { return len(must.Get(chain.VaultAnchor(t.Context(), kv))(t).Keys) }
	empty := engine.Vault(t, t.TempDir(), nil)
	for range 2 { // repeating it changes nothing
		must.OK(t, chain.ImportVerificationKeys(t.Context(), empty, closings[0]))
		if n := keys(empty); n != 1 {
			t.Errorf("%d keys", n)
		}
	}
	must.OK(t, chain.ImportVerificationKeys(t.Context(), empty, closings[1]))
	must.OK(t, chain.ImportVerificationKeys(t.Context(), ours[0].vault, closings[0])) // the current key
	if n, own := keys(empty), keys(ours[0].vault); n != 2 || own != 1 {
		t.Errorf("%d keys, and %d", n, own)
	}
	must.OK(t, chain.ImportVerificationKeys(t.Context(), ours[0].vault, closings[1]))
	if ours[0].good(); keys(ours[0].vault) != 2 {
		t.Error("another one's key was not learned")
	}
	if err := chain.ImportVerificationKeys(t.Context(), empty, vault.Data(`{"keys":[{"public_key":"AAAA"}]}`)); err == nil {
		t.Error("no key was taken for one")
	}
}

// TestFormerVaultAgain: a backup of the vault that replaced another is restored into
// that one, whose key continues.
func TestFormerVaultAgain(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.sealed(2)
	first := w.vault
	for _, kv := range []vault.Engine{engine.Vault(t, t.TempDir(), nil), first} {
		must.OK(t, chain.ImportVerificationKeys(t.Context(), kv, must.Get(chain.Closing(t.Context(), w.vault))(t)))
		w.vault = kv
		w.sealer = w.newSealer(w.db, kv)
		must.OK(t, w.sealer.BeginSegment(t.Context()))
		w.sealed(1)
		w.good()
	}
	if r := w.good(); r.Segments != 3 || r.Entries != 4 {
		t.Errorf("%+v", r)
	}
	// The second one's key is now a former one.
	must.OK(t, first.DestroyPath(t.Context(), chain.HeadPath))
	w.tamper("DELETE FROM audit_batches WHERE segment = 3")
	w.bad()
}
