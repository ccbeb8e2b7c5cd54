package recovery_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/recovery"
	"github.com/keyward/keyward/test/must"
)

// tables is what a look finds.
type tables struct {
	found []string
	err   error
}

func (t *tables) Altered(context.Context) ([]string, error) { return t.found, t.err }

// TestGuard: what was found holds until a look finds nothing more, each change
// is logged once, and a server that could never look releases nothing.
func TestGuard(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	db := &tables{err: fault.New(fault.DatabaseUnavailable, "", "away")}
	g := &recovery.Guard{Database: db, Log: slog.New(slog.NewTextHandler(&log, nil))}
	expect := func(when string, want fault.Code, lines int) {
		t.Helper()
		err := g.Held(t.Context())
		if got := fault.CodeOf(err); got != want || g.Found() != (want == fault.RecoveryRequired) || strings.Count(log.String(), "\n") != lines {
			t.Errorf("%s: %v, found %t, log:\n%s", when, err, g.Found(), log.String())
		}
	}
	expect("never looked", fault.DatabaseUnavailable, 0)
	db.err = nil
	expect("looks by itself", "", 0)

	db.found = []string{"trigger quiet on audit_entries"}
	expect("between two looks", "", 0)
	for range 2 {
		must.OK(t, g.Look(t.Context()))
		expect("altered", fault.RecoveryRequired, 1)
	}
	if !strings.Contains(log.String(), "trigger quiet on audit_entries") || strings.Contains(g.Held(t.Context()).Error(), "quiet") {
		t.Error("what was found is for the log and for administrators")
	}
	db.err = errors.New("away")
	if g.Look(t.Context()) == nil {
		t.Error("a look that failed is no look")
	}
	expect("no answer meanwhile", fault.RecoveryRequired, 1)
	db.err, db.found = nil, nil
	must.OK(t, g.Look(t.Context()))
	expect("undone", "", 2)
}
