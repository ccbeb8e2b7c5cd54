package rollback

import (
	"context"
	"time"
)

// read reads the findings first, and each mark before what it is compared with.
// Without all it reads only the few marks that are quick to read.
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
		if r.MissingRevocations, err = g.CRL.MissingRevocations(ctx); err != nil {
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

// skew is more than the clocks of several servers may differ.
const skew = time.Hour

// since is the time from which the sources are asked: the audit log covers what is
// older. For a database that lacks part of it, from where that begins.
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

// mend publishes what the vault's CRL lacks, with a number above both.
func (g *Guard) mend(ctx context.Context, r Read) error {
	above := r.Marks[r.CRLMark].Value
	if len(r.MissingRevocations) == 0 && r.CRL >= above {
		return nil
	}
	return g.CRL.Republish(ctx, r.MissingRevocations, above)
}
