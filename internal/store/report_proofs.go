package store

import (
	"cmp"
	"context"
	"slices"

	"github.com/keyward/keyward/internal/report"
)

// proofs counts live certificates by what their tokens proved. An attestation is one text in a row,
// and few differ: those that the report does not distinguish are merged here.
func (c *compliance) proofs(ctx context.Context) error {
	w := &where{}
	c.narrow(w, "c.organization_id")
	w.is("c.status = 'issued'")
	w.compare("+c.not_after", ">", micros(c.q.Now))
	type count struct {
		organization *int64
		statement    *string
		n            int64
	}
	rows, err := queryAll(ctx, c.from, func(row scanner) (n count, err error) {
		err = row.Scan(&n.organization, &n.statement, &n.n)
		return n, err
	}, "SELECT c.organization_id, c.attestation, count(*) FROM certificates AS c"+w.String()+" GROUP BY c.organization_id, c.attestation",
		w.args...)
	if err != nil {
		return err
	}
	for _, r := range rows {
		a, err := attestationOf(r.statement)
		if err != nil {
			return err
		}
		p := &c.at(r.organization).Proofs
		if a == nil {
			p.NotAttested += r.n
			continue
		}
		p.Attested += r.n
		p.Keys = addProof(p.Keys, report.ProofCount{Firmware: a.FirmwareVersion, PINPolicy: a.PINPolicy, TouchPolicy: a.TouchPolicy, Count: r.n})
	}
	for i := range c.out {
		keys := c.out[i].Proofs.Keys
		slices.SortFunc(keys, func(a, b report.ProofCount) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Firmware, b.Firmware), cmp.Compare(a.PINPolicy, b.PINPolicy),
				cmp.Compare(a.TouchPolicy, b.TouchPolicy))
		})
		c.out[i].Proofs.Keys = keys[:min(len(keys), c.q.ListLimit)]
	}
	return nil
}

func addProof(list []report.ProofCount, p report.ProofCount) []report.ProofCount {
	at := slices.IndexFunc(list, func(o report.ProofCount) bool {
		return o.Firmware == p.Firmware && o.PINPolicy == p.PINPolicy && o.TouchPolicy == p.TouchPolicy
	})
	if at < 0 {
		return append(list, p)
	}
	list[at].Count += p.Count
	return list
}
