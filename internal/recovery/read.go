package recovery

import (
	"context"
	"time"
)

// read reads each mark before what it tells of, and what was found before all. Without
// all it reads the few marks alone that are quickly read.
func (g *Guard) read(ctx context.Context, all bool) (n noted, r Read, err error) {
	if n, err = g.noted(ctx); err != nil {
		return n, r, err
	}
	if r.Marks, err = g.Database.VaultMarks(ctx); err != nil {
		return n, r, err
	}
	vaults, _, err := readRecord(ctx, g.Vault)
	if err != nil {
		return n, r, err
	}
	r.Epoch = vaults.Epoch
	if all {
		ca, number, err := g.CRL.Number(ctx)
		if err != nil {
			return n, r, err
		}
		r.CRLMark, r.CRL = CRLMark(ca), number
		if r.Lacking, err = g.CRL.Lacking(ctx); err != nil {
			return n, r, err
		}
	}
	if r.Ends, err = g.Audit.Ends(ctx); err != nil || !all {
		return n, r, err
	}
	for _, s := range g.Sources {
		names, err := s.Missing(ctx, since(r))
		if err != nil {
			return n, r, err
		}
		r.Unknown = append(r.Unknown, missing(s.What, names)...)
	}
	return n, r, nil
}

// skew is how far the clocks of several servers may be apart, and more.
const skew = time.Hour

// since is from when on the sources are asked: of what is older, the audit log
// tells. A database that lacks some of it is asked for everything since.
func since(r Read) time.Time {
	at := r.Ends.Vault.SealedAt
	if r.Ends.Behind() {
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
