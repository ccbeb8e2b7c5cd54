package replicas_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fault is what is wrong at the moment, and what a request may be answered
// then besides what it asks for: status and code.
type fault struct {
	name    string
	answers []string
	sure    bool // each of the answers is given for as long as it lasts
}

// What may come of a fault. A request whose server went away is nginx's to
// answer; all else the server says itself.
const (
	noServer   = "503 backend_unavailable"
	noDatabase = "503 database_unavailable"
	noVault    = "503 vault_unavailable"
)

// record is every answer that was no success, by the fault of its time.
type record struct {
	mu     sync.Mutex
	now    fault
	before fault
	wrong  []string
	counts map[string]int
	over   chan struct{} // closed when nobody is to try any longer
}

func newRecord() *record { return &record{counts: map[string]int{}, over: make(chan struct{})} }

// begin says which fault there is from now on. What the one before explains
// may still come: a server that was cut off notices by itself that it is no
// longer.
func (r *record) begin(f fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.before, r.now = r.now, f
}

// note takes down an answer that was no success.
func (r *record) note(operation string, status int, code string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	said := fmt.Sprintf("%d %s", status, code)
	r.counts[r.now.name+": "+said]++
	if !slices.Contains(r.now.answers, said) && !slices.Contains(r.before.answers, said) {
		r.wrong = append(r.wrong, fmt.Sprintf("%s: %s was answered %s", r.now.name, operation, said))
	}
}

// judge fails for every answer that its fault does not explain.
func (r *record) judge(t *testing.T) {
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

// all tells whether each of the answers of the present fault was given.
func (r *record) all() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !slices.ContainsFunc(r.now.answers, func(said string) bool { return r.counts[r.now.name+": "+said] == 0 })
}
