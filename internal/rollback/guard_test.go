package rollback_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/test/must"
)

// tables is a database whose tables may have been altered.
type tables struct {
	*store.DB

	found []string
	err   error
}

func (t *tables) SchemaTampering(context.Context) ([]string, error) { return t.found, t.err }

// TestGuard: findings hold until a poll finds nothing more, each change is logged
// once, and a server that could never poll releases nothing.
func TestGuard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.servers[0].guard
	db := &tables{DB: w.db.DB, err: fault.New(fault.DatabaseUnavailable, "", "away")}
	g.Database = db
	expect := func(when string, want fault.Code, lines int) {
		t.Helper()
		err := g.SigningBlocked(t.Context())
		database, _ := g.States()
		if fault.CodeOf(err) != want || (database == "altered") != (want == fault.RecoveryRequired) ||
			strings.Count(w.log.String(), "\n") != lines {
			t.Errorf("%s: %v, %s, log:\n%s", when, err, database, w.log.String())
		}
	}
	expect("never looked", fault.DatabaseUnavailable, 0)
	db.err = nil
	expect("looked, and never compared", fault.VaultUnavailable, 0)
	if err := g.SignInBlocked(); !fault.Is(err, fault.VaultUnavailable) {
		t.Errorf("somebody is let in: %v", err)
	}
	must.OK(t, g.Start(t.Context()))
	expect("compared", "", 0)
	must.OK(t, g.SignInBlocked())

	db.found = []string{"trigger quiet on audit_entries"}
	expect("between two looks", "", 0)
	for range 2 {
		must.OK(t, g.Poll(t.Context()))
		expect("altered", fault.RecoveryRequired, 1)
	}
	must.OK(t, g.SignInBlocked())
	told := g.SigningBlocked(t.Context()).Error()
	if !strings.Contains(w.log.String(), "trigger quiet on audit_entries") || strings.Contains(told, "quiet") {
		t.Error("what was found is for the log and for administrators")
	}
	db.err = errors.New("away")
	if g.Poll(t.Context()) == nil {
		t.Error("a look that failed is no look")
	}
	expect("no answer meanwhile", fault.RecoveryRequired, 1)
	db.err, db.found = nil, nil
	must.OK(t, g.Poll(t.Context()))
	expect("undone", "", 2)
}

// TestNothingOlder: only findings can be accepted.
func TestNothingOlder(t *testing.T) {
	t.Parallel()
	g := newWorld(t).servers[0].guard
	must.OK(t, g.Start(t.Context()))
	for _, err := range []error{
		g.AcceptVault(t.Context(), rollback.By{}), g.AcceptDatabase(t.Context(), rollback.By{}, rollback.Accounts{}),
	} {
		if !fault.Is(err, fault.Conflict) {
			t.Errorf("accepted: %v", err)
		}
	}
}

// unmended is a CRL that lacks a revocation and accepts none.
type unmended struct{ rollback.CRL }

var errUnmended = errors.New("the vault builds no CRL")

func (unmended) MissingRevocations(context.Context) ([]string, error) { return []string{"01"}, nil }
func (unmended) Republish(context.Context, []string, uint64) error    { return errUnmended }

// TestFoundThoughNotMended: an older vault is held back even if what its CRL lacks
// cannot be published again.
func TestFoundThoughNotMended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g := w.guard()
	must.OK(t, g.Start(t.Context()))
	must.OK(t, g.SigningBlocked(t.Context()))
	g.CRL = unmended{g.CRL}
	if err := g.Compare(t.Context()); !errors.Is(err, errUnmended) {
		t.Errorf("compared: %v", err)
	}
	if err := g.SigningBlocked(t.Context()); !fault.Is(err, fault.RecoveryRequired) || g.VaultRolledBack() == nil {
		t.Errorf("held: %v", err)
	}
}
