package vaulttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/vault"
)

var kvConcurrencyCases = []testCase{
	{"increments", testIncrements},
}

// testIncrements: 50 writers each add one, by check-and-set; none is lost and
// none counts twice.
func testIncrements(t *testing.T, h Harness) {
	const writers = 50
	path := freshPath("counter")
	put(t, h, path, `{"n":0}`, 0)
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
	holds(t, h, path, writers+1, fmt.Sprintf(`{"n":%d}`, writers))
}

func increment(t *testing.T, h Harness, path string) (done bool, err error) {
	v, err := h.Engine.Get(t.Context(), path)
	if err != nil {
		return false, err
	}
	var counter struct{ N int }
	if err := json.Unmarshal(v.Data, &counter); err != nil {
		return false, err
	}
	version, err := h.Engine.Put(t.Context(), path, fmt.Appendf(nil, `{"n":%d}`, counter.N+1), v.Number)
	if errors.Is(err, vault.ErrCAS) {
		return false, nil
	}
	if err == nil && version != v.Number+1 {
		return false, fmt.Errorf("version %d after %d", version, v.Number)
	}
	return err == nil, err
}
