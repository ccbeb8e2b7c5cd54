package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/report"
)

// Compliance implements report.Store. It runs in one read transaction, so that all numbers are of
// the same moment.
func (db *DB) Compliance(ctx context.Context, q report.Query) (list []report.OrganizationReport, err error) {
	snapshot, err := inLine{db.reads}.BeginTx(ctx, &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead})
	if err != nil {
		return nil, asFault("compliance", err)
	}
	defer func() {
		if e := snapshot.Rollback(); e != nil && err == nil && !errors.Is(e, sql.ErrTxDone) {
			err = asFault("compliance", e)
		}
	}()
	c := &compliance{from: snapshot, q: q, left: q.ListTotal, place: map[int64]int{}}
	for _, step := range []func(context.Context) error{
		c.organizations, c.byStatus, c.counts, c.proofs, c.weeks, c.lists,
	} {
		if err := step(ctx); err != nil {
			return nil, asFault("compliance", err)
		}
	}
	return c.out, nil
}

// compliance is a report in the making.
type compliance struct {
	from  querier
	q     report.Query
	out   []report.OrganizationReport
	place map[int64]int // in out, by id
	left  int           // of ListTotal
	whole bool          // counting all organizations at once
}

// organizations adds each of them; in a report on all, the last is for what belongs to none.
func (c *compliance) organizations(ctx context.Context) error {
	w := &where{}
	if c.q.OrganizationID != nil {
		w.equal("o.id", *c.q.OrganizationID)
	}
	rows, err := queryAll(ctx, c.from, func(row scanner) (o report.OrganizationReport, err error) {
		o = emptyOrganization()
		err = row.Scan(&o.ID, &o.Name)
		return o, err
	}, "SELECT o.id, o.name FROM organizations AS o"+w.String()+" ORDER BY o.id", w.args...)
	if err != nil {
		return err
	}
	c.out = rows
	for i, o := range rows {
		c.place[*o.ID] = i
	}
	if c.q.OrganizationID == nil {
		c.out = append(c.out, emptyOrganization())
	} else if len(rows) == 0 {
		return fault.New(fault.NotFound, "no_organization", "There is no such organization.")
	}
	return nil
}

// emptyOrganization has empty lists, not absent ones.
func emptyOrganization() report.OrganizationReport {
	return report.OrganizationReport{
		Firmware: []report.FirmwareCount{}, Old: report.OldSecrets{Tokens: []report.OldToken{}},
		Proofs:    report.Proofs{Keys: []report.ProofCount{}},
		Expiring:  report.Expiring{Certificates: []report.ExpiringCertificate{}},
		Expired:   report.Expired{Certificates: []report.ExpiringCertificate{}},
		Tokenless: report.Tokenless{Users: []report.TokenlessUser{}}, Releases: report.Releases{ByReason: []report.ReasonCount{}},
	}
}

// at returns an organization's report. A release of a deleted organization counts among what
// belongs to none.
func (c *compliance) at(id *int64) *report.OrganizationReport {
	if id != nil {
		if i, ok := c.place[*id]; ok {
			return &c.out[i]
		}
	}
	return &c.out[len(c.out)-1]
}

// narrow adds the report's organization to conditions.
func (c *compliance) narrow(w *where, column string) {
	if c.q.OrganizationID != nil {
		w.equal(column, *c.q.OrganizationID)
	}
}

func (c *compliance) byStatus(ctx context.Context) error {
	w := &where{}
	c.narrow(w, "h.organization_id")
	type count struct {
		organization *int64
		status       hwkey.Status
		n            int64
	}
	rows, err := queryAll(ctx, c.from, func(row scanner) (n count, err error) {
		err = row.Scan(&n.organization, &n.status, &n.n)
		return n, err
	}, "SELECT h.organization_id, h.status, count(*) FROM hwkeys AS h"+w.String()+" GROUP BY h.organization_id, h.status", w.args...)
	if err != nil {
		return err
	}
	for _, r := range rows {
		o := c.at(r.organization)
		o.Tokens += r.n
		s := &o.ByStatus
		for status, field := range map[hwkey.Status]*int64{
			hwkey.InStock: &s.InStock, hwkey.Assigned: &s.Assigned, hwkey.Active: &s.Active,
			hwkey.Suspended: &s.Suspended, hwkey.Lost: &s.Lost, hwkey.Retired: &s.Retired,
		} {
			if r.status == status {
				*field = r.n
			}
		}
	}
	return nil
}

// counted is something that is counted by organization and may be listed.
type counted struct {
	from         string // table and alias
	organization string // its column
	conditions   func(w *where)
	count        func(o *report.OrganizationReport) *int64
}

// Conditions on partial indexes are literally those of their migration.
func (c *compliance) old() counted {
	return counted{"hwkeys AS h", "h.organization_id", func(w *where) {
		w.is("h.status <> 'retired'")
		w.compare("h.secrets_changed_at", "<", micros(c.q.ChangedBefore))
	}, func(o *report.OrganizationReport) *int64 { return &o.Old.Count }}
}

func (c *compliance) expiring() counted {
	return counted{"certificates AS c", "c.organization_id", func(w *where) {
		end := "c.not_after"
		if c.whole {
			end = "+" + end // the report's own index holds all; that of the times alone would fetch each row
		}
		w.is("c.status = 'issued'")
		w.compare(end, ">", micros(c.q.Now))
		w.compare(end, "<=", micros(c.q.EndsUntil))
	}, func(o *report.OrganizationReport) *int64 { return &o.Expiring.Count }}
}

// expired are few: only those that nobody renewed or revoked.
func (c *compliance) expired() counted {
	organization := "c.organization_id"
	if c.whole {
		organization = "+" + organization // found by their ends, not among all in the order of organizations
	}
	return counted{"certificates AS c", organization, func(w *where) {
		w.is("c.status = 'issued'")
		w.compare("c.not_after", "<=", micros(c.q.Now))
		w.is(lapsed)
	}, func(o *report.OrganizationReport) *int64 { return &o.Expired.Count }}
}

func (c *compliance) tokenless() counted {
	return counted{"users AS u", "u.organization_id", func(w *where) {
		w.is("u.is_active = TRUE")
		w.is("NOT EXISTS (SELECT 1 FROM hwkeys AS h WHERE h.owner_id = u.id AND h.status <> 'lost' AND h.status <> 'retired')")
	}, func(o *report.OrganizationReport) *int64 { return &o.Tokenless.Count }}
}

func (c *compliance) releases() counted {
	return counted{"audit_entries AS e", "e.organization_id", func(w *where) {
		w.is("e.outcome = 'success'")
		w.is("e.action IN ('hwkey.secrets_released', 'hwkey.rotation_started')")
		w.compare("e.at", ">=", micros(c.q.From))
		w.compare("e.at", "<", micros(c.q.To))
	}, func(o *report.OrganizationReport) *int64 { return &o.Releases.Total }}
}

// counts counts each kind, for all organizations at once.
func (c *compliance) counts(ctx context.Context) error {
	type count struct {
		organization *int64
		n            int64
	}
	c.whole = c.q.OrganizationID == nil
	defer func() { c.whole = false }()
	for _, kind := range []counted{c.old(), c.expiring(), c.expired(), c.tokenless(), c.releases()} {
		w := &where{}
		c.narrow(w, kind.organization)
		kind.conditions(w)
		rows, err := queryAll(ctx, c.from, func(row scanner) (n count, err error) {
			err = row.Scan(&n.organization, &n.n)
			return n, err
		}, "SELECT "+kind.organization+", count(*) FROM "+kind.from+w.String()+" GROUP BY "+kind.organization, w.args...)
		if err != nil {
			return err
		}
		for _, r := range rows {
			*kind.count(c.at(r.organization)) += r.n
		}
	}
	return nil
}
