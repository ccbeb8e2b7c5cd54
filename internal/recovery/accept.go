package recovery

import (
	"context"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
)

// By is who accepts, and what they called, empty where the request tells.
type By struct {
	Actor access.Actor
	Via   string
}

// VaultAcceptance is what is written when an older vault is accepted.
type VaultAcceptance struct {
	Marks   map[string]uint64
	Setting string // whose value is null from now on
	Entry   audit.Entry
	At      time.Time
}

// Accounts is what becomes of the accounts in an older database.
type Accounts struct {
	// Disable has all disabled but Spare, the username or email of an active global
	// administrator.
	Disable bool
	Spare   string
}

// DatabaseAcceptance is what is written when an older database is accepted.
type DatabaseAcceptance struct {
	Accounts

	Entry audit.Entry
	At    time.Time
}

// errNothingOlder is the answer to whoever accepts what nobody found.
var errNothingOlder = fault.New(fault.Conflict, "nothing_older", "There is nothing to accept: that side is not older.")

// Inspect compares everything and writes nothing: what each side lacks that is
// older, nil of one that is not.
func (g *Guard) Inspect(ctx context.Context) (vault, database *Finding, err error) {
	n, r, err := g.read(ctx, true)
	if err != nil {
		return nil, nil, err
	}
	o := n.outcome(r)
	return older(g.stands(n.vault, n.record.OlderBy, o.Vault, true), n.restore), g.stands(n.record.DatabaseOlder, n.by, o.Database, true), nil
}

// AcceptVault goes on with an older vault: its CRL has the revocations of both,
// and a number above both, and the marks are written anew. So it does with one that a
// restore left half-way, which is given up. Conflict when it is neither.
func (g *Guard) AcceptVault(ctx context.Context, by By) error {
	if g.Admitted != nil {
		if err := g.Admitted(ctx); err != nil {
			return err
		}
	}
	if err := g.Compare(ctx); err != nil {
		return err
	}
	f := g.VaultOlder()
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
	if err == nil { // the restore that is given up may have been about to
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

// AcceptDatabase goes on with an older database: nobody is signed in any more,
// the audit log goes on in a new segment, and what the vault knows to be revoked is
// so on record. Conflict when it is not older. It may be repeated after an error.
func (g *Guard) AcceptDatabase(ctx context.Context, by By, accounts Accounts) error {
	if err := g.Compare(ctx); err != nil {
		return err
	}
	f := g.DatabaseOlder()
	if f == nil {
		return errNothingOlder
	}
	a := DatabaseAcceptance{Accounts: accounts, Entry: by.entry("database", f), At: g.Now().UTC()}
	if err := g.Database.AcceptDatabase(ctx, a); err != nil {
		return err
	}
	// Also where the log lacks nothing that was sealed: the same copy, put back once
	// more, lacks the segment.
	if err := g.Audit.BeginSegment(ctx); err != nil {
		return err
	}
	for _, s := range g.Sources {
		if err := s.Lose(ctx); err != nil {
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
	if g.VaultOlder() == nil {
		if err := g.establish(ctx); err != nil {
			return err
		}
	}
	// The finding goes last: until then nobody is let in.
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

// accepted has this server see at once what has been accepted for good. If it
// cannot, its next look does.
func (g *Guard) accepted(ctx context.Context) {
	if err := g.Compare(ctx); err != nil {
		g.Log.WarnContext(ctx, "an older side was accepted; this server lifts its hold once database and vault answer again", "error", err)
	}
}

// entry is what the audit log says of an acceptance of the "vault" or the
// "database".
func (by By) entry(side string, f *Finding) audit.Entry {
	details := "accepted an older " + side + ", found " + stamp(f.At) + "; it lacks " + strings.Join(f.Lines(), "; ")
	if by.Via != "" {
		details += "; " + by.Via
	}
	return audit.By(by.Actor, audit.SystemRecovered, "system", side, details)
}
