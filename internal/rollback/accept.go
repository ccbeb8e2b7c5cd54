package rollback

import (
	"context"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
)

// By is who accepts, and the command they ran; Via is empty for an API request.
type By struct {
	Actor access.Actor
	Via   string
}

// VaultAcceptance is what is written when an older vault is accepted.
type VaultAcceptance struct {
	Marks   map[string]uint64
	Setting string // set to null
	Entry   audit.Entry
	At      time.Time
}

// Accounts says what happens to the accounts in an older database.
type Accounts struct {
	// Disable disables all accounts except Spare, the username or email of an active
	// global administrator.
	Disable bool
	Spare   string
}

// DatabaseAcceptance is what is written when an older database is accepted.
type DatabaseAcceptance struct {
	Accounts

	Entry audit.Entry
	At    time.Time
}

// errNothingOlder answers an attempt to accept what was not found.
var errNothingOlder = fault.New(fault.Conflict, "nothing_older", "There is nothing to accept: that side is not older.")

// Inspect compares everything without writing, and returns what each older side
// lacks; nil for a side that is not older.
func (g *Guard) Inspect(ctx context.Context) (vault, database *Finding, err error) {
	n, r, err := g.read(ctx, true)
	if err != nil {
		return nil, nil, err
	}
	o := n.differences(r)
	vault = older(g.finding(n.vault, n.record.OlderBy, o.Vault, true), n.restore)
	return vault, g.finding(n.record.DatabaseOlder, n.by, o.Database, true), nil
}

// AcceptVault continues with an older vault: its CRL gets the revocations of both
// sides and a number above both, and the marks are rewritten. It also gives up a
// restore that stopped halfway. Conflict if there is neither.
func (g *Guard) AcceptVault(ctx context.Context, by By) error {
	if g.Admitted != nil {
		if err := g.Admitted(ctx); err != nil {
			return err
		}
	}
	if err := g.Compare(ctx); err != nil {
		return err
	}
	f := g.VaultRolledBack()
	if f == nil {
		return errNothingOlder
	}
	epoch, err := g.raiseEpoch(ctx)
	if err != nil {
		return err
	}
	ca, number, err := g.CRL.Number(ctx)
	if err != nil {
		return err
	}
	err = g.Database.AcceptVault(ctx, VaultAcceptance{
		Marks: map[string]uint64{epochMark: epoch, CRLMark(ca): number}, Setting: vaultOlderSetting,
		Entry: by.entry("vault", f), At: g.Now().UTC(),
	})
	if err == nil { // the abandoned restore may not have done this yet
		err = g.continueLog(ctx, false)
	}
	if err == nil {
		err = g.putRestore(ctx, nil)
	}
	if err == nil {
		g.accepted(ctx)
	}
	return err
}

// AcceptDatabase continues with an older database: all sessions end, the audit log
// continues in a new segment, and what the vault has revoked is recorded as such.
// Conflict if it is not older. It may be repeated after an error.
func (g *Guard) AcceptDatabase(ctx context.Context, by By, accounts Accounts) error {
	if err := g.Compare(ctx); err != nil {
		return err
	}
	f := g.DatabaseRolledBack()
	if f == nil {
		return errNothingOlder
	}
	a := DatabaseAcceptance{Accounts: accounts, Entry: by.entry("database", f), At: g.Now().UTC()}
	if err := g.Database.AcceptDatabase(ctx, a); err != nil {
		return err
	}
	// Even if no sealed entries are missing: if the same copy is restored again, the
	// missing segment shows it.
	if err := g.Audit.BeginSegment(ctx); err != nil {
		return err
	}
	for _, s := range g.Sources {
		if err := s.MarkUnaccounted(ctx); err != nil {
			return err
		}
	}
	if g.Forget != nil {
		if err := g.Forget(ctx); err != nil {
			return err
		}
	}
	if err := g.CRL.Learn(ctx); err != nil {
		return err
	}
	if err := g.Renew(ctx); err != nil {
		return err
	}
	if g.VaultRolledBack() == nil {
		if err := g.establish(ctx); err != nil {
			return err
		}
	}
	// Clear the finding last: until then nobody is let in.
	_, err := changeRecord(ctx, g.Vault, func(r *record) bool {
		r.DatabaseOlder = nil
		r.Accepted++
		return true
	})
	if err == nil {
		g.accepted(ctx)
	}
	return err
}

// accepted updates this server's state at once. If that fails, the next poll does it.
func (g *Guard) accepted(ctx context.Context) {
	if err := g.Compare(ctx); err != nil {
		g.Log.WarnContext(ctx, "an older side was accepted; this server lifts its hold once database and vault answer again", "error", err)
	}
}

// entry returns the audit entry for accepting the "vault" or the "database".
func (by By) entry(side string, f *Finding) audit.Entry {
	details := "accepted an older " + side + ", found " + stamp(f.At) + "; it lacks " + strings.Join(f.Lines(), "; ")
	if by.Via != "" {
		details += "; " + by.Via
	}
	return audit.By(by.Actor, audit.SystemRecovered, "system", side, details)
}
