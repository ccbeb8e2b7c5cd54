package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/reminder"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

var _ reminder.Store = (*DB)(nil)

// Notify implements reminder.Store and licensepolicy.Store.
func (db *DB) Notify(ctx context.Context, name string, was, v settings.Value, messages ...notify.Message) (told bool, err error) {
	err = db.write(ctx, "tell", func(ctx context.Context, t *tx) error {
		if told, err = t.swapSetting(ctx, name, was, v); err != nil || !told {
			return err
		}
		return t.notifyAll(ctx, messages)
	})
	return told, err
}

const microsOfDay = int64(24 * time.Hour / time.Microsecond)

// passed is, in SQL, the milestone that a certificate has reached at a moment; 99 before the first.
func passed(moment string) string {
	var b strings.Builder
	b.WriteString("CASE")
	for _, days := range notify.Milestones {
		fmt.Fprintf(&b, " WHEN c.not_after <= %s + %d THEN %d", moment, int64(days)*microsOfDay, days)
	}
	return b.String() + " ELSE 99 END"
}

// endings selects the columns of reminder.Ending, for the ends in a window of the index.
func endings(now string) string {
	return unrenewed(now) +
		" AND (c.not_after <= " + now + fmt.Sprintf(" OR c.not_after - c.not_before > (%s + 1) * %d)", passed(now), microsOfDay)
}

// unrenewed is endings including short-lived certificates.
func unrenewed(now string) string {
	first := notify.Milestones[len(notify.Milestones)-1]
	return "SELECT c.id, c.serial_number, c.slot, c.not_after, h.serial, h.label, h.owner_id, h.organization_id, COALESCE(o.name, ''), " +
		passed(now) + " AS milestone FROM certificates AS c JOIN hwkeys AS h ON h.id = c.hwkey_id" +
		" LEFT JOIN organizations AS o ON o.id = h.organization_id WHERE c.status = 'issued'" +
		fmt.Sprintf(" AND c.not_after > %s - %d AND c.not_after <= %s + %d", now, reminder.Missed.Microseconds(), now, int64(first)*microsOfDay) +
		" AND h.owner_id = c.owner_id AND h.status NOT IN ('lost', 'retired')" +
		" AND NOT EXISTS (SELECT 1 FROM certificates AS n WHERE n.hwkey_id = c.hwkey_id AND n.id > c.id AND n.slot = c.slot" +
		" AND n.status = 'issued')"
}

func scanEnding(row scanner) (e reminder.Ending, err error) {
	var ends int64
	err = row.Scan(&e.ID, &e.SerialNumber, &e.Slot, &ends, &e.HWKeySerial, &e.Label, &e.OwnerID, &e.OrganizationID,
		&e.Organization, &e.Milestone)
	e.NotAfter = moment(ends)
	return e, err
}

// untold selects the first certificates whose owners are to be notified at a moment.
var untold = endings("CAST($1 AS BIGINT)") +
	" AND (c.told_days IS NULL OR c.told_days > " + passed("CAST($1 AS BIGINT)") + ") ORDER BY c.not_after, c.id LIMIT $2"

// came selects the certificates that reached a milestone after one moment, up to another.
var came = endings("CAST($1 AS BIGINT)") + " AND " + passed("CAST($1 AS BIGINT)") + " < " + passed("CAST($2 AS BIGINT)") +
	" ORDER BY h.organization_id, c.not_after, c.id"

// NotifyEnding implements reminder.Store. Of two servers at once, the first to mark a certificate
// sends the message.
func (db *DB) NotifyEnding(ctx context.Context, now time.Time, limit int, say func(reminder.Ending) notify.Message) (n int, err error) {
	err = db.write(ctx, "tell of certificates that end", func(ctx context.Context, t *tx) error {
		list, err := queryAll(ctx, t.sql, scanEnding, untold, micros(now), limit)
		if n = len(list); err != nil {
			return err
		}
		for _, e := range list {
			marked, err := t.q.MarkTold(ctx, sqlcgen.MarkToldParams{Days: pointerTo(int64(e.Milestone)), ID: e.ID})
			if err != nil {
				return err
			}
			if marked == 0 {
				continue
			}
			if err := t.notify(ctx, say(e)); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// Endings implements reminder.Store.
func (db *DB) Endings(ctx context.Context, since, now time.Time) ([]reminder.Ending, error) {
	list, err := queryAll(ctx, db.read, scanEnding, came, micros(now), micros(since))
	return list, asFault("endings", err)
}

// DigestReaders implements reminder.Store.
func (db *DB) DigestReaders(ctx context.Context) (organizations []int64, admins bool, err error) {
	rows, err := db.q().Managing(ctx)
	if err != nil {
		return nil, false, asFault("digest readers", err)
	}
	for _, r := range rows {
		switch {
		case !notify.ByMail(notify.Digest, choicesOf(r.MailChoices)):
		case r.Role == string(access.GlobalAdmin):
			admins = true
		case r.OrganizationID != nil && !slices.Contains(organizations, *r.OrganizationID):
			organizations = append(organizations, *r.OrganizationID)
		}
	}
	return organizations, admins, nil
}

// Doing implements reminder.Store.
func (db *DB) Doing(ctx context.Context, organizationID *int64, now time.Time) (d reminder.Doing, err error) {
	const at = "CAST($1 AS BIGINT)"
	args := []any{micros(now)}
	of := func(string) string { return "" }
	name := "''"
	if organizationID != nil {
		args = append(args, *organizationID)
		of = func(table string) string { return " AND " + table + ".organization_id = $2" }
		name = "COALESCE((SELECT o.name FROM organizations AS o WHERE o.id = $2), '')"
	}
	ends := unrenewed(at) + of("h")
	query := "SELECT " + name + ", (SELECT count(*) FROM (" + ends + " AND c.not_after > " + at + ") AS e)" +
		", (SELECT count(DISTINCT e.serial) FROM (" + ends + " AND c.not_after <= " + at + ") AS e)" +
		", (SELECT count(*) FROM hwkeys AS h WHERE h.status = 'assigned' AND h.enrolled_at IS NULL" + of("h") + ")" +
		", (SELECT count(*) FROM hwkeys AS h WHERE h.status = 'lost'" + of("h") + ")" +
		", (SELECT count(*) FROM hwkeys AS h WHERE h.rotation_pending = TRUE" + of("h") + ")" +
		", (SELECT count(*) FROM users AS u WHERE u.locked_until IS NOT NULL AND u.locked_until > " + at + of("u") + ")" +
		", (SELECT count(*) FROM users AS u WHERE u.is_active = TRUE AND u.mail_failed_at IS NOT NULL" + of("u") + ")"
	err = inLine{db.reads}.QueryRowContext(ctx, query, args...).Scan(
		&d.Organization, &d.Ending, &d.Ended, &d.Unset, &d.Lost, &d.Rotations, &d.Locked, &d.Unreached)
	return d, asFault("doing", err)
}
