package store

import (
	"context"

	"github.com/keyward/keyward/internal/report"
)

// lists fills the lists of every organization that has something to list.
func (c *compliance) lists(ctx context.Context) error {
	for i := range c.out {
		o := &c.out[i]
		if o.Tokens > 0 {
			rows, err := topOf(ctx, c, o, "h.firmware_version", "hwkeys AS h", "h.organization_id", nil)
			if err != nil {
				return err
			}
			for _, r := range rows {
				o.Firmware = append(o.Firmware, report.FirmwareCount{Version: r.key, Count: r.n})
			}
		}
		if o.Releases.Total > 0 {
			kind := c.releases()
			rows, err := topOf(ctx, c, o, "e.reason", kind.from, kind.organization, kind.conditions)
			if err != nil {
				return err
			}
			for _, r := range rows {
				o.Releases.ByReason = append(o.Releases.ByReason, report.ReasonCount{Reason: r.key, Count: r.n})
			}
		}
		if err := c.listed(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

type keyCount struct {
	key string
	n   int64
}

// topOf counts an organization's rows by a column and returns the most frequent values. It reads an
// index in its order: many different values take no memory.
func topOf(
	ctx context.Context, c *compliance, o *report.OrganizationReport, column, from, organization string, conditions func(*where),
) ([]keyCount, error) {
	w := &where{}
	within(w, organization, o)
	if conditions != nil {
		conditions(w)
	}
	return queryAll(ctx, c.from, func(row scanner) (k keyCount, err error) {
		err = row.Scan(&k.key, &k.n)
		return k, err
	}, "SELECT "+column+", count(*) AS n FROM "+from+w.String()+" GROUP BY "+column+
		" ORDER BY n DESC, "+column+" LIMIT "+w.arg(c.q.ListLimit), w.args...)
}

// within adds "of that organization", or "of none".
func within(w *where, column string, o *report.OrganizationReport) {
	if o.ID == nil {
		w.is(column + " IS NULL")
		return
	}
	w.equal(column, *o.ID)
}

// listed fills the lists that count against ListTotal.
func (c *compliance) listed(ctx context.Context, o *report.OrganizationReport) (err error) {
	o.Old.Tokens, err = first(ctx, c, o, c.old(), "h.serial, h.secrets_changed_at, u.username, COALESCE(u.name, '')",
		" LEFT JOIN users AS u ON u.id = h.owner_id", "h.secrets_changed_at, h.id",
		func(row scanner) (t report.OldToken, err error) {
			var changed int64
			err = row.Scan(&t.Serial, &changed, &t.Owner, &t.OwnerName)
			t.ChangedAt = moment(changed)
			return t, err
		})
	if err != nil {
		return err
	}
	if o.Expiring.Certificates, err = endingFirst(ctx, c, o, c.expiring()); err != nil {
		return err
	}
	if o.Expired.Certificates, err = endingFirst(ctx, c, o, c.expired()); err != nil {
		return err
	}
	o.Tokenless.Users, err = first(ctx, c, o, c.tokenless(), "u.id, u.username, u.name, u.email", "", "u.id",
		func(row scanner) (u report.TokenlessUser, err error) {
			err = row.Scan(&u.ID, &u.Username, &u.Name, &u.Email)
			return u, err
		})
	return err
}

// endingFirst lists certificates by their ends.
func endingFirst(ctx context.Context, c *compliance, o *report.OrganizationReport, kind counted) ([]report.ExpiringCertificate, error) {
	return first(ctx, c, o, kind, "c.serial_number, h.serial, c.common_name, c.not_after",
		" JOIN hwkeys AS h ON h.id = c.hwkey_id", "c.not_after, c.id",
		func(row scanner) (x report.ExpiringCertificate, err error) {
			var end int64
			err = row.Scan(&x.SerialNumber, &x.HWKeySerial, &x.CommonName, &end)
			x.NotAfter = moment(end)
			return x, err
		})
}

// first lists counted rows, up to ListLimit, while ListTotal lasts.
func first[T any](
	ctx context.Context, c *compliance, o *report.OrganizationReport, kind counted, columns, join, order string, scan func(scanner) (T, error),
) ([]T, error) {
	limit := min(c.q.ListLimit, c.left)
	if *kind.count(o) == 0 || limit <= 0 {
		return []T{}, nil
	}
	w := &where{}
	within(w, kind.organization, o)
	kind.conditions(w)
	rows, err := queryAll(ctx, c.from, scan, "SELECT "+columns+" FROM "+kind.from+join+w.String()+
		" ORDER BY "+order+" LIMIT "+w.arg(limit), w.args...)
	c.left -= len(rows)
	return rows, err
}
