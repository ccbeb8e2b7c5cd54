package recovery

import (
	"context"
	"crypto/rand"
	"slices"
	"time"
)

// standing is what both sides say: what was found and holds.
type standing struct {
	vault, database *Finding
	accepted        uint64
}

// compare reads and compares, and writes what it has found. Without all it reads
// the few marks alone that are quickly read.
func (g *Guard) compare(ctx context.Context, all bool) (standing, error) {
	r, err := g.read(ctx, all)
	if err != nil {
		return standing{}, err
	}
	o := Compare(r)
	v, err := g.aboutVault(ctx, o.Vault, all)
	if err != nil {
		return standing{}, err
	}
	d, accepted, err := g.aboutDatabase(ctx, o.Database, all)
	if err != nil {
		return standing{}, err
	}
	if all { // whatever else was found
		err = g.mend(ctx, r)
	}
	return standing{v, d, accepted}, err
}

// read reads each mark before what it tells of.
func (g *Guard) read(ctx context.Context, all bool) (r Read, err error) {
	if r.Marks, err = g.Database.VaultMarks(ctx); err != nil {
		return r, err
	}
	vaults, _, err := readRecord(ctx, g.Vault)
	if err != nil {
		return r, err
	}
	r.Epoch = vaults.Epoch
	if all {
		ca, number, err := g.CRL.Number(ctx)
		if err != nil {
			return r, err
		}
		r.CRLMark, r.CRL = CRLMark(ca), number
		if r.Lacking, err = g.CRL.Lacking(ctx); err != nil {
			return r, err
		}
	}
	if r.Ends, err = g.Audit.Ends(ctx); err != nil || !all {
		return r, err
	}
	for _, s := range g.Sources {
		names, err := s.Missing(ctx, g.since(r))
		if err != nil {
			return r, err
		}
		r.Unknown = append(r.Unknown, missing(s.What, names)...)
	}
	return r, nil
}

// skew is how far the clocks of several servers may be apart, and more.
const skew = time.Hour

// since is from when on the sources are asked: of what is older, the audit log
// tells. A database that lacks some of it is asked for everything since.
func (g *Guard) since(r Read) time.Time {
	at := r.Ends.Vault.SealedAt
	if r.Ends.Database.Batch < r.Ends.Vault.Batch {
		at = r.Ends.Database.SealedAt
	}
	if at.IsZero() {
		return at
	}
	return at.Add(-skew)
}

// mend has published what the vault's CRL lacks, with a number above both.
func (g *Guard) mend(ctx context.Context, r Read) error {
	above := r.Marks[r.CRLMark].Value
	if len(r.Lacking) == 0 && r.CRL >= above {
		return nil
	}
	return g.CRL.Republish(ctx, r.Lacking, above)
}

// aboutVault keeps in the database that the vault is older, and its id in that
// vault. Where nothing was found, and the vault has not that id, it is another.
func (g *Guard) aboutVault(ctx context.Context, lacks []Missing, all bool) (*Finding, error) {
	var known *Finding
	if err := readSetting(ctx, g.Database, vaultOlderSetting, &known); err != nil {
		return nil, err
	}
	if known == nil && len(lacks) == 0 {
		return nil, nil
	}
	if len(lacks) > 0 {
		f := g.widened(known, lacks)
		if f == nil {
			f = known
		} else if err := putSetting(ctx, g.Database, vaultOlderSetting, f, g.Now()); err != nil {
			return nil, err
		}
		for { // of two servers that find it at once, the last one's finding stands
			_, err := changeRecord(ctx, g.Vault, func(r *record) bool {
				changed := r.OlderBy != f.ID
				r.OlderBy = f.ID
				return changed
			})
			if err != nil {
				return nil, err
			}
			var stands *Finding
			if err := readSetting(ctx, g.Database, vaultOlderSetting, &stands); err != nil || stands == nil || stands.ID == f.ID {
				return stands, err
			}
			f = stands
		}
	}
	r, _, err := readRecord(ctx, g.Vault)
	if err != nil || !all || r.OlderBy == known.ID {
		return known, err
	}
	return nil, putSetting(ctx, g.Database, vaultOlderSetting, nil, g.Now())
}

// aboutDatabase is the same the other way round.
func (g *Guard) aboutDatabase(ctx context.Context, lacks []Missing, all bool) (*Finding, uint64, error) {
	var by string
	if err := readSetting(ctx, g.Database, olderBySetting, &by); err != nil {
		return nil, 0, err
	}
	r, err := changeRecord(ctx, g.Vault, func(r *record) bool {
		if len(lacks) > 0 {
			f := g.widened(r.DatabaseOlder, lacks)
			if f != nil {
				r.DatabaseOlder = f
			}
			return f != nil
		}
		if over := all && r.DatabaseOlder != nil && r.DatabaseOlder.ID != by; over {
			r.DatabaseOlder = nil
			return true
		}
		return false
	})
	if err == nil && len(lacks) > 0 && r.DatabaseOlder.ID != by {
		err = putSetting(ctx, g.Database, olderBySetting, r.DatabaseOlder.ID, g.Now())
	}
	return r.DatabaseOlder, r.Accepted, err
}

// widened is a finding with what it lacked; nil when it says all that already.
func (g *Guard) widened(known *Finding, lacks []Missing) *Finding {
	if known == nil {
		return &Finding{ID: rand.Text(), At: g.Now().UTC(), Lacks: lacks}
	}
	f := *known
	f.Lacks = slices.Clone(f.Lacks)
	if !f.widen(lacks) {
		return nil
	}
	return &f
}
