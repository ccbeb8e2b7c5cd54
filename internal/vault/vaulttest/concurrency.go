package vaulttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/vault"
)

var kvConcurrencyCases = []testCase{
	{"increments", testIncrements},
	{"one creator", testOneCreator},
	{"put beside delete", testPutBesideDelete},
	{"independent writers", testIndependentWriters},
}

// testIncrements: 50 writers each add one, by check-and-set; none is lost and
// none counts twice.
func testIncrements(t *testing.T, h Harness) {
	const writers = 50
	path := freshPath("counter")
	put(t, h, path, vault.Data{"n": 0}, 0)
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for {
				done, err := increment(t, h, path)
				if err != nil {
					t.Error(err)
					return
				}
				if done {
					return
				}
			}
		})
	}
	wg.Wait()
	got, err := h.Engine.Get(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if got.Data["n"] != json.Number(strconv.Itoa(writers)) || got.Number != writers+1 {
		t.Errorf("counter %v at version %d, want %d", got.Data["n"], got.Number, writers)
	}
}

func increment(t *testing.T, h Harness, path string) (done bool, err error) {
	v, err := h.Engine.Get(t.Context(), path)
	if err != nil {
		return false, err
	}
	number, ok := v.Data["n"].(json.Number)
	if !ok {
		return false, fmt.Errorf("n is a %T", v.Data["n"])
	}
	n, err := number.Int64()
	if err != nil {
		return false, err
	}
	version, err := h.Engine.Put(t.Context(), path, vault.Data{"n": n + 1}, v.Number)
	if errors.Is(err, vault.ErrCAS) {
		return false, nil
	}
	if err == nil && version != v.Number+1 {
		return false, fmt.Errorf("version %d after %d", version, v.Number)
	}
	return err == nil, err
}

func testOneCreator(t *testing.T, h Harness) {
	path := freshPath("first")
	var wg sync.WaitGroup
	var mu sync.Mutex
	var winners []int
	for i := range 20 {
		wg.Go(func() {
			_, err := h.Engine.Put(t.Context(), path, vault.Data{"by": i}, 0)
			switch {
			case err == nil:
				mu.Lock()
				winners = append(winners, i)
				mu.Unlock()
			case !errors.Is(err, vault.ErrCAS):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, err := h.Engine.Get(t.Context(), path)
	if err != nil || len(winners) != 1 || got.Number != 1 || got.Data["by"] != json.Number(strconv.Itoa(winners[0])) {
		t.Errorf("%d writers created the document: %v", len(winners), err)
	}
}

// testPutBesideDelete: whatever the order, the outcome is one of the two
// orders, and the versions stay gapless.
func testPutBesideDelete(t *testing.T, h Harness) {
	path := freshPath("race")
	put(t, h, path, vault.Data{"n": 1}, 0)
	const rounds = 8
	var wg sync.WaitGroup
	for range rounds {
		wg.Go(func() {
			if _, err := h.Engine.Put(t.Context(), path, vault.Data{"n": 2}, vault.AnyVersion); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			if err := h.Engine.Delete(t.Context(), path); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	m, err := h.Engine.Metadata(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if m.CurrentVersion != rounds+1 || len(m.Versions) != rounds+1 {
		t.Fatalf("current %d, %d versions", m.CurrentVersion, len(m.Versions))
	}
	deleted := m.Versions[rounds].DeletedAt != nil
	_, err = h.Engine.Get(t.Context(), path)
	if deleted != errors.Is(err, vault.ErrNotFound) || !deleted && err != nil {
		t.Errorf("metadata says deleted=%v, Get says %v", deleted, err)
	}
}

func testIndependentWriters(t *testing.T, h Harness) {
	root := freshPath("crowd")
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			path := fmt.Sprintf("%s/%d", root, i)
			if _, err := h.Engine.Put(t.Context(), path, vault.Data{"i": i}, 0); err != nil {
				t.Error(err)
				return
			}
			got, err := h.Engine.Get(t.Context(), path) // read your own write
			if err != nil || got.Data["i"] != json.Number(strconv.Itoa(i)) {
				t.Errorf("own write: %v, %v", got.Data, err)
			}
		})
	}
	wg.Wait()
	names, err := h.Engine.List(t.Context(), root)
	if err != nil || len(names) != 64 {
		t.Errorf("%d entries, %v", len(names), err)
	}
}
