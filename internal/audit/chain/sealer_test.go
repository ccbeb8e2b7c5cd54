package chain_test

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

func TestSealing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	if r := w.good(); r != (chain.Report{}) {
		t.Errorf("an empty log: %+v", r)
	}
	w.append(3)
	if r := w.good(); r.Unsealed != 3 || r.Entries != 0 {
		t.Errorf("before the first run: %+v", r)
	}
	w.seal()
	w.sealed(2, 2501, 1)
	w.seal() // nothing new: nothing is written
	w.append(4)
	r := w.good()
	if r.Entries != 2507 || r.Unsealed != 4 || r.Batches != 6 || r.Segments != 1 || r.Absent != 0 {
		t.Errorf("%+v", r)
	}
	if v, err := w.vault.Get(t.Context(), "audit_seal/head"); err != nil || v.Number != 4 {
		t.Errorf("the head was written %d times, %v; want once a run with something to seal", v.Number, err)
	}
}

// TestStatus: verification accepts the head it returns.
func TestStatus(t *testing.T) {
	t.Parallel()
	w := setup(t)
	st, err := w.sealer.Status(t.Context())
	if err != nil || st.PublicKey != "" || st.Head.Batch != 0 || st.Unsealed != 0 || st.Failure != nil || st.Late(w.now) {
		t.Errorf("before everything: %+v, %v", st, err)
	}
	w.sealed(3)
	first := w.now
	w.append(1)
	w.now = w.now.Add(time.Minute)
	w.append(1)
	if st, err = w.sealer.Status(t.Context()); err != nil {
		t.Fatal(err)
	}
	keys := w.publicKeys()
	key := keys[0]
	if st.PublicKey != hex.EncodeToString(key) || !st.Head.Verify(key) || st.Head.LastID != 3 || st.Head.Segment != 1 {
		t.Errorf("%+v", st)
	}
	if st.Unsealed != 2 || !st.OldestUnsealed.Equal(first.Truncate(time.Microsecond)) || st.Late(w.now) || !st.Late(w.now.Add(time.Hour)) {
		t.Errorf("%+v", st)
	}
	head := st.Head
	for name, a := range map[string]chain.Anchor{
		"its head": {Keys: keys, Head: &head}, "its hash": {Keys: keys, Hash: head.Hash}, "its key alone": {Keys: keys},
	} {
		if r, err := chain.Verify(t.Context(), w.db, a); err != nil || r.Entries != 3 || r.Unsealed != 2 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	head.Hash = head.Hash[2:] + "00"
	for name, a := range map[string]chain.Anchor{
		"a changed head": {Keys: keys, Head: &head}, "another hash": {Keys: keys, Hash: head.Hash},
		"another key": {Keys: setupKeys(t)},
	} {
		if _, err := chain.Verify(t.Context(), w.db, a); !isBad(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func setupKeys(t *testing.T) []ed25519.PublicKey {
	t.Helper()
	other := setup(t)
	other.sealed(1)
	return other.publicKeys()
}

func isBad(err error) bool {
	_, ok := errors.AsType[*chain.Bad](err)
	return ok
}

// TestSealedByAnother: a failed last run here no longer matters once another server seals.
func TestSealedByAnother(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.append(1)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := w.sealer.Run(stopped); err == nil {
		t.Fatal("the run did not fail")
	}
	if st := must.Get(w.sealer.Status(t.Context()))(t); st.Failure == nil {
		t.Error("the failure is not told")
	}
	w.sealer.Yield()
	if st := must.Get(w.sealer.Status(t.Context()))(t); st.Failure != nil {
		t.Errorf("told of another server's work: %v", st.Failure)
	}
}

// TestNothingIsSignedOverACut: someone who cut the database gets no signed head of
// the rest from the sealer or its status.
func TestNothingIsSignedOverACut(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.sealed(3, 3)
	known := must.Get(w.sealer.Status(t.Context()))(t)
	w.tamper("DELETE FROM audit_entries WHERE id > 3")
	w.tamper("DELETE FROM audit_batches WHERE id > 1")
	w.append(1)
	broken := (*chain.Broken)(nil)
	for range 2 {
		if err := w.sealer.Run(t.Context()); !errors.As(err, &broken) {
			t.Errorf("the sealer goes on: %v", err)
		}
	}
	st, err := w.sealer.Status(t.Context())
	if err != nil || !errors.As(st.Failure, &broken) || st.Head != known.Head {
		t.Errorf("%+v, %v, want the head that the vault knows", st, err)
	}
	if b := w.bad(); b.Entry != 4 {
		t.Error(b)
	}
}

// TestInterrupted tries every write of a run that seals two batches, failed or done
// with its answer lost, and restarts: the log is never called bad, and the next run
// repairs everything.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	type point struct {
		path  string // of the write to the vault, or
		batch int    // the number of the batch in the database
	}
	for _, already := range []int{0, 2} { // batches before the run
		for _, p := range []point{{path: "audit_seal/key"}, {batch: 1}, {batch: 2}, {path: "audit_seal/head"}} {
			if already > 0 && p.path == "audit_seal/key" {
				continue // already there
			}
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprint(already, p, after), func(t *testing.T) {
					t.Parallel()
					w := setup(t)
					for range already {
						w.sealed(2)
					}
					w.append(chain.MaxBatch + 5)
					s := w.newSealer(&flakyStore{Store: w.db, fail: p.batch, after: after}, &flaky{KV: w.vault, fail: p.path, after: after})
					if err := s.Run(t.Context()); err == nil {
						t.Fatal("the fault did not happen")
					}
					if r := w.good(); r.Entries+r.Unsealed != int64(2*already+chain.MaxBatch+5) {
						t.Errorf("after the fault: %+v", r)
					}
					if _, err := w.newSealer(w.db, w.vault).Status(t.Context()); err != nil {
						t.Errorf("status after the fault: %v", err)
					}
					w.newRun() // the server starts again
					r := w.good()
					if r.Unsealed != 0 || r.Batches != int64(already+2) {
						t.Errorf("after the repair: %+v", r)
					}
					// The vault has the new end: cutting it is found.
					w.tamper("DELETE FROM audit_batches WHERE id = $1", already+2)
					if b := w.bad(); b.Batch != int64(already+2) {
						t.Errorf("the head was not repaired: %v", b)
					}
				})
			}
		}
	}
}

func (w *world) newRun() {
	w.t.Helper()
	if err := w.newSealer(w.db, w.vault).Run(context.Background()); err != nil {
		w.t.Fatalf("the next run: %v", err)
	}
}

// TestManySealers: replicas that seal concurrently make one chain.
func TestManySealers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	var group sync.WaitGroup
	for range 4 {
		s := w.newSealer(w.db, w.vault)
		group.Go(func() {
			for range 20 {
				w.append1()
				if err := s.Run(context.Background()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	w.newRun()
	if r := w.good(); r.Entries != 80 || r.Unsealed != 0 {
		t.Errorf("%+v", r)
	}
}

// TestVaultAway: while the vault is sealed nothing is lost or called bad.
func TestVaultAway(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.sealed(2)
	w.append(2)
	away := w.newSealer(w.db, sealedVault{w.vault})
	if err := away.Run(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
		t.Errorf("got %v, want vault_unavailable", err)
	}
	if _, err := away.Status(t.Context()); !fault.Is(err, fault.VaultUnavailable) {
		t.Errorf("status: %v", err)
	}
	w.newRun()
	if r := w.good(); r.Entries != 4 {
		t.Errorf("%+v", r)
	}
}

type sealedVault struct{ vault.KV }

func (sealedVault) Get(context.Context, string) (vault.Version, error) {
	return vault.Version{}, vault.ErrSealed
}

// TestLostKey: a vault without the key is not given a new one.
func TestLostKey(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.sealed(2)
	must.OK(t, w.vault.DestroyPath(t.Context(), "audit_seal/key"))
	broken := (*chain.Broken)(nil)
	if err := w.newSealer(w.db, w.vault).Run(t.Context()); !errors.As(err, &broken) {
		t.Errorf("got %v", err)
	}
	w.bad()
}

// TestNewSegment: after a restore of an older database the chain continues and names both ends.
func TestNewSegment(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.sealed(3, 2, 4)
	// The restore: an older database.
	w.tamper("DELETE FROM audit_entries WHERE id > 3")
	w.tamper("DELETE FROM audit_batches WHERE id > 1")
	w.bad()
	must.OK(t, w.sealer.BeginSegment(t.Context()))
	w.sealed(2)
	r := w.good()
	if r.Entries != 5 || r.Segments != 2 || r.Head.Batch != 5 {
		t.Errorf("%+v", r)
	}
	for _, id := range []int{1, 4, 5} {
		w.tamper("CREATE TABLE kept AS SELECT * FROM audit_batches WHERE id = $1", id)
		w.tamper("DELETE FROM audit_batches WHERE id = $1", id)
		w.bad()
		w.tamper("INSERT INTO audit_batches SELECT * FROM kept")
		w.tamper("DROP TABLE kept")
	}
	w.good()
	w.tamper("UPDATE audit_entries SET actor = 'x' WHERE id = 2")
	if b := w.bad(); b.Entry != 2 {
		t.Error(b)
	}
}

// TestNewSegmentInterrupted: a server killed while it begins a segment has begun it
// or not; either way things can go on.
func TestNewSegmentInterrupted(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		for _, p := range []string{"database", "audit_seal/head"} {
			t.Run(fmt.Sprint(p, after), func(t *testing.T) {
				t.Parallel()
				w := setup(t)
				w.sealed(3, 2)
				inside := must.Get(w.sealer.Status(t.Context()))(t)
				w.sealed(4)
				lost := must.Get(w.sealer.Status(t.Context()))(t)
				w.tamper("DELETE FROM audit_entries WHERE id > 3")
				w.tamper("DELETE FROM audit_batches WHERE id > 1")
				s, kv := &flakyStore{Store: w.db, after: after}, &flaky{KV: w.vault, fail: p, after: after}
				if p == "database" {
					s.fail = 1
				}
				if err := w.newSealer(s, kv).BeginSegment(t.Context()); err == nil {
					t.Fatal("the fault did not happen")
				}
				if p == "database" && !after {
					w.bad() // not begun: the cut is still a cut
					must.OK(t, w.sealer.BeginSegment(t.Context()))
				}
				w.good()
				w.sealed(1)
				r := w.good()
				if r.Segments != 2 || r.Entries != 4 {
					t.Errorf("%+v", r)
				}
				if _, err := chain.Verify(t.Context(), w.db, chain.Anchor{Keys: w.publicKeys(), Head: &lost.Head}); err != nil {
					t.Errorf("the head that the segment names: %v", err)
				}
				if _, err := chain.Verify(t.Context(), w.db, chain.Anchor{Keys: w.publicKeys(), Head: &inside.Head}); !isBad(err) {
					t.Errorf("a head of what was replaced: %v", err)
				}
			})
		}
	}
}

// TestNewSegmentOverNothing: a restore without the old log, too.
func TestNewSegmentOverNothing(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.sealed(3, 2)
	w.tamper("DELETE FROM audit_entries")
	w.tamper("DELETE FROM audit_batches")
	must.OK(t, w.sealer.BeginSegment(t.Context()))
	w.sealed(2)
	if r := w.good(); r.Entries != 2 || r.Segments != 2 {
		t.Errorf("%+v", r)
	}
}
