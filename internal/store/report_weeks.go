package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/report"
)

// weeks counts the certificates of every organization by the week in which
// they end. Each week is a range of the report's own index: grouping by a
// computed week would sort every certificate that there is.
func (c *compliance) weeks(ctx context.Context) error {
	for i := range c.out {
		o := &c.out[i]
		o.Weeks = make([]report.WeekCount, report.Weeks)
		for n := range o.Weeks {
			o.Weeks[n].Start = c.q.FirstWeek.Add(time.Duration(n) * report.Week).UTC().Format(time.DateOnly)
		}
		if err := c.weeksOf(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (c *compliance) weeksOf(ctx context.Context, o *report.OrganizationReport) error {
	w := &where{}
	first, week := micros(c.q.FirstWeek), report.Week.Microseconds()
	numbers := "WITH RECURSIVE weeks (n, starts) AS (SELECT 0, CAST(" + w.arg(first) + " AS BIGINT) UNION ALL SELECT n + 1, starts + " +
		w.arg(week) + " FROM weeks WHERE n + 1 < " + w.arg(report.Weeks) + ") "
	within(w, "c.organization_id", o)
	w.is("c.status = 'issued'")
	w.is("c.not_after >= w.starts")
	w.is("c.not_after < w.starts + " + w.arg(week))
	w.compare("+c.not_after", ">", micros(c.q.Now)) // in the first week; it must not choose where the others begin
	type count struct{ n, certificates int64 }
	rows, err := queryAll(ctx, c.from, func(row scanner) (r count, err error) {
		err = row.Scan(&r.n, &r.certificates)
		return r, err
	}, numbers+"SELECT w.n, (SELECT count(*) FROM certificates AS c"+w.String()+") FROM weeks AS w", w.args...)
	for _, r := range rows {
		o.Weeks[r.n].Count = r.certificates
	}
	return err
}
