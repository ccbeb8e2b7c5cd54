package replicas_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fault is the current failure, and the responses that it may cause: status and code.
type fault struct {
	name    string
	answers []string
	sure    bool // each response occurs while the fault lasts
}

// Possible results of a fault. nginx answers a request whose server went away; all else
// the server answers itself.
const (
	noServer   = "503 backend_unavailable"
	noDatabase = "503 database_unavailable"
	noVault    = "503 vault_unavailable"
)

// record collects every unsuccessful response, by the fault of its time.
type record struct {
	mu     sync.Mutex
	now    fault
	before fault
	wrong  []string
	counts map[string]int
	over   chan struct{} // closed when nobody should retry any longer
}

func newRecord() *record { return &record{counts: map[string]int{}, over: make(chan struct{})} }

// begin sets the current fault. Effects of the previous one may still occur: a server
// that was cut off only notices by itself that it is reconnected.
func (r *record) begin(f fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before, r.now = r.now, f
}

// note records an unsuccessful response.
func (r *record) note(operation string, status int, code string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	said := fmt.Sprintf("%d %s", status, code)
	r.counts[r.now.name+": "+said]++
	if !slices.Contains(r.now.answers, said) && !slices.Contains(r.before.answers, said) {
		r.wrong = append(r.wrong, fmt.Sprintf("%s: %s was answered %s", r.now.name, operation, said))
	}
}

// judge fails for every response that its fault does not explain.
func (r *record) judge(t testing.TB) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.wrong {
		t.Error(w)
	}
	var lines []string
	for _, said := range slices.Sorted(maps.Keys(r.counts)) {
		lines = append(lines, fmt.Sprintf("%s: %d", said, r.counts[said]))
	}
	t.Logf("answers that were no success:\n%s", strings.Join(lines, "\n"))
}

// all reports whether each response of the current fault has occurred.
func (r *record) all() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !slices.ContainsFunc(r.now.answers, func(said string) bool { return r.counts[r.now.name+": "+said] == 0 })
}
