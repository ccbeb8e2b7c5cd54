package recovery

import (
	"context"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
)

// VaultAcceptance is what is written when an older vault is accepted.
type VaultAcceptance struct {
	Marks   map[string]uint64
	Setting string // whose value is null from now on
	Entry   audit.Entry
	At      time.Time
}

// DatabaseAcceptance is what is written when an older database is accepted.
type DatabaseAcceptance struct {
	// Disable has all accounts disabled but Spare, the username or email of an
	// active global administrator.
	Disable bool
	Spare   string
	Entry   audit.Entry
	At      time.Time
}

// errNothingOlder is the answer to whoever accepts what nobody found.
var errNothingOlder = fault.New(fault.Conflict, "nothing_older", "There is nothing to accept: that side is not older.")

// Inspect compares everything and writes nothing: what each side lacks that is
// older, nil of one that is not.
func (g *Guard) Inspect(ctx context.Context) (vault, database *Finding, err error) {
	r, err := g.read(ctx, true)
	if err != nil {
		return nil, nil, err
	}
	if err := readSetting(ctx, g.Database, vaultOlderSetting, &vault); err != nil {
		return nil, nil, err
	}
	vaults, _, err := readRecord(ctx, g.Vault)
	if err != nil {
		return nil, nil, err
	}
	database = vaults.DatabaseOlder
	o := Compare(r)
	for _, side := range []struct {
		finding **Finding
		lacks   []Missing
	}{{&vault, o.Vault}, {&database, o.Database}} {
		if len(side.lacks) > 0 {
			if f := g.widened(*side.finding, side.lacks); f != nil {
				*side.finding = f
			}
		}
	}
	return vault, database, nil
}

// AcceptVault goes on with an older vault: its CRL has the revocations of both,
// and a number above both, and the marks are written anew. Conflict when it is
// not older.
func (g *Guard) AcceptVault(ctx context.Context, entry audit.Entry) error {
	if g.Admitted != nil {
		if err := g.Admitted(ctx); err != nil {
			return err
		}
	}
	if err := g.Compare(ctx); err != nil {
		return err
	}
	if g.VaultOlder() == nil {
		return errNothingOlder
	}
	marks, err := g.Database.VaultMarks(ctx)
	if err != nil {
		return err
	}
	// The vault's part that says that it is older goes last: until then this is
	// begun again, whatever happens in between.
	r, err := changeRecord(ctx, g.Vault, func(r *record) bool {
		r.Epoch = max(r.Epoch, marks[epochMark].Value) + 1
		return true
	})
	if err != nil {
		return err
	}
	ca, number, err := g.CRL.Number(ctx)
	if err != nil {
		return err
	}
	err = g.Database.AcceptVault(ctx, VaultAcceptance{
		Marks: map[string]uint64{epochMark: r.Epoch, CRLMark(ca): number}, Setting: vaultOlderSetting, Entry: entry, At: g.Now().UTC(),
	})
	if err != nil {
		return err
	}
	_, err = changeRecord(ctx, g.Vault, func(r *record) bool {
		changed := r.OlderBy != ""
		r.OlderBy = ""
		return changed
	})
	if err != nil {
		return err
	}
	return g.Compare(ctx)
}

// AcceptDatabase goes on with an older database: nobody is signed in any more,
// the audit log goes on in a new segment, and what the vault knows to be revoked is
// so on record. Conflict when it is not older. It may be repeated after an error.
func (g *Guard) AcceptDatabase(ctx context.Context, a DatabaseAcceptance) error {
	if err := g.Compare(ctx); err != nil {
		return err
	}
	if g.DatabaseOlder() == nil {
		return errNothingOlder
	}
	a.At = g.Now().UTC()
	if err := g.Database.AcceptDatabase(ctx, a); err != nil {
		return err
	}
	if ends, err := g.Audit.Ends(ctx); err != nil {
		return err
	} else if ends.Database.Batch < ends.Vault.Batch || ends.Other {
		if err := g.Audit.BeginSegment(ctx); err != nil {
			return err
		}
	}
	for _, s := range g.Sources {
		if err := s.Lose(ctx); err != nil {
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
	if err != nil {
		return err
	}
	return g.Compare(ctx)
}

// Entry is what the audit log says of an acceptance of the "vault" or the
// "database". via, when not empty, says by what.
func Entry(a access.Actor, side string, f *Finding, via string) audit.Entry {
	details := "accepted an older " + side
	if f != nil {
		details += ", found " + stamp(f.At) + "; it lacks " + strings.Join(f.Lines(), "; ")
	}
	if via != "" {
		details += "; " + via
	}
	return audit.By(a, audit.SystemRecovered, "system", side, details)
}
