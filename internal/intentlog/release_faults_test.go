package intentlog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// faultyKV is a vault whose calls may fail, or succeed and lose their answers.
type faultyKV struct {
	vault.KV

	// next decides for each call whether it happens, and its answer; nil passes on the
	// vault's. A nil next injects no fault.
	next func(call string) (happens bool, answer error)
}

func (k *faultyKV) pass(call string) (bool, error) {
	if k.next == nil {
		return true, nil
	}
	return k.next(call)
}

func (k *faultyKV) Get(ctx context.Context, path string) (vault.Version, error) {
	if happens, err := k.pass("get"); !happens || err != nil {
		return vault.Version{}, err
	}
	return k.KV.Get(ctx, path)
}

func (k *faultyKV) Put(ctx context.Context, path string, data vault.Data, cas int) (int, error) {
	happens, answer := k.pass("put")
	if !happens {
		return 0, answer
	}
	version, err := k.KV.Put(ctx, path, data, cas)
	if answer != nil && err == nil {
		return 0, answer
	}
	return version, err
}

// TestNeverUnseen: whatever the vault answers or loses, and whichever server
// releases, each release is in the vault and unchanged in the database, none counted twice or lost.
func TestNeverUnseen(t *testing.T) {
	t.Parallel()
	w := setup(t)
	real := w.kv
	left := map[int64]bool{} // ids of all releases
	for range 120 {          // the first page is soon full
		left[w.must(t, "key-1")] = true
	}
	written := len(left) // entries
	rapid.Check(t, func(t *rapid.T) {
		answers := rapid.SliceOfN(rapid.SampledFrom([]error{
			nil, nil, nil, nil, vault.ErrUnavailable, vault.ErrSlow, vault.ErrCAS, vault.ErrSealed,
		}), 30, 30).Draw(t, "answers")
		happens := rapid.SliceOfN(rapid.Bool(), 30, 30).Draw(t, "happens")
		var mu sync.Mutex
		w.kv = &faultyKV{KV: real, next: func(call string) (bool, error) {
			mu.Lock()
			defer mu.Unlock()
			if len(answers) == 0 {
				return true, nil
			}
			answer, does := answers[0], happens[0]
			answers, happens = answers[1:], happens[1:]
			switch {
			case answer == nil, call == "get" && errors.Is(answer, vault.ErrCAS):
				return true, nil
			case errors.Is(answer, vault.ErrSealed):
				does = false // nothing was written
			case errors.Is(answer, vault.ErrCAS): // a client library retried, and its first attempt had succeeded
				does = true
			}
			return does, answer
		}}
		servers := []*intentlog.Releases{w.another(), w.another()}
		for step := range rapid.IntRange(1, 8).Draw(t, "steps") {
			id, err := w.release(context.Background(), servers[rapid.IntRange(0, 1).Draw(t, fmt.Sprint("server ", step))], "key-1")
			if id == 0 {
				t.Fatalf("no entry: %v", err)
			}
			written++
			if err == nil {
				left[id] = true
			}
		}
		w.kv = real
		w.agrees(t, "key-1", left, written)
	})
	if _, err := real.Get(t.Context(), "key-1/releases/1"); err != nil {
		t.Errorf("no page was closed: %v", err)
	}
}

// agrees compares vault and database with the releases made.
func (w *world) agrees(t must.T, serial string, left map[int64]bool, written int) {
	t.Helper()
	by := w.another()
	s := must.Get(by.Check(context.Background(), serial))(t)
	report := must.Get(intentlog.VerifyReleases(context.Background(), w.kv, w.db))(t)
	if !s.Sound() || s.Count < int64(len(left)) || report.Releases != s.Count || int(report.Releases+report.Unknown) != written {
		t.Fatal(fmt.Sprintf("%+v, %+v, %d left, %d written", s, report, len(left), written))
	}
	for _, id := range report.Newest {
		if left[id] {
			t.Fatal(fmt.Sprintf("release %d left, and the vault has not taken it down", id))
		}
	}
}

// TestAtOnce: many concurrent releases of few tokens by two servers are all logged.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	servers := []*intentlog.Releases{w.Releases, w.another()}
	var group sync.WaitGroup
	var count atomic.Int64
	const each, tokens = 50, 3
	for i := range each * tokens {
		group.Go(func() {
			if _, err := w.release(context.Background(), servers[i%2], fmt.Sprint("key-", i%tokens)); err != nil {
				t.Errorf("release: %v", err)
			}
			count.Add(1)
		})
	}
	group.Wait()
	report := must.Get(intentlog.VerifyReleases(t.Context(), w.kv, w.db))(t)
	if report.Releases != each*tokens || report.Tokens != tokens || report.Unknown != 0 || count.Load() != each*tokens {
		t.Errorf("verified: %+v", report)
	}
}

// TestCanceled: a caller that gave up gets nothing and delays no one.
func TestCanceled(t *testing.T) {
	t.Parallel()
	w := setup(t)
	arrived, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	w.kv = &faultyKV{KV: w.kv, next: func(string) (bool, error) {
		once.Do(func() { close(arrived); <-goOn })
		return true, nil
	}}
	by := w.another()
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error)
	go func() {
		_, err := w.release(ctx, by, "key-1")
		gone <- err
	}()
	<-arrived
	cancel()
	if err := <-gone; err == nil {
		t.Error("no error for who has gone")
	}
	close(goOn)
	if _, err := w.release(t.Context(), by, "key-1"); err != nil {
		t.Errorf("the next: %v", err)
	}
	if s := must.Get(by.Check(t.Context(), "key-1"))(t); s.Count != 2 || !s.Sound() || slices.Contains(s.Missing, 0) {
		t.Errorf("in the vault: %+v", s)
	}
}
