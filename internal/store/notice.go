package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/page"
)

// notify writes a message to everybody in its audience, in the transaction
// of what it tells of.
func (t *tx) notify(ctx context.Context, m notice.Message) error {
	w := &where{}
	columns := "SELECT u.id, " + w.arg(string(m.Kind)) + ", " + w.arg(m.Message) + ", " + w.arg(micros(m.At))
	if m.To.UserID != 0 {
		w.equal("u.id", m.To.UserID)
	} else {
		w.is("u.is_active = TRUE")
		admins := "u.role = " + w.arg(string(access.GlobalAdmin))
		if m.To.OrganizationID != nil {
			admins += " OR u.role = " + w.arg(string(access.OrgManager)) +
				" AND u.organization_id = " + w.arg(*m.To.OrganizationID)
		}
		w.is("(" + admins + ")")
	}
	_, err := t.sql.ExecContext(ctx, "INSERT INTO notices (user_id, kind, message, created_at) "+columns+
		" FROM users AS u"+w.String(), w.args...)
	return err
}

const noticeColumns = "n.id, n.user_id, n.kind, n.message, n.created_at, n.read_at"

func scanNotice(row scanner) (n notice.Notice, err error) {
	var created int64
	var read *int64
	err = row.Scan(&n.ID, &n.UserID, &n.Kind, &n.Message, &created, &read)
	n.CreatedAt, n.ReadAt = moment(created), momentOf(read)
	return n, err
}

// ListNotices implements notice.Store.
func (db *DB) ListNotices(ctx context.Context, userID int64, f notice.Filter, p page.Request) (page.Page[notice.Notice], error) {
	w := &where{}
	w.equal("n.user_id", userID)
	if f.Unread {
		w.is("n.read_at IS NULL")
	}
	list := listed[notice.Notice]{"SELECT " + noticeColumns, " FROM notices AS n", "", "n.id",
		scanNotice, func(n notice.Notice) int64 { return n.ID }}
	return list.page(ctx, db, "list notices", w, p)
}

// ReadNotice implements notice.Store.
func (db *DB) ReadNotice(ctx context.Context, userID, id int64, at time.Time) (n notice.Notice, err error) {
	err = db.write(ctx, "read notice", func(ctx context.Context, t *tx) error {
		n, err = queryOne(ctx, t.sql, scanNotice, `UPDATE notices SET read_at = COALESCE(read_at, $1)
			WHERE id = $2 AND user_id = $3 RETURNING id, user_id, kind, message, created_at, read_at`, micros(at), id, userID)
		if none(err) {
			return fault.New(fault.NotFound, "no_notice", "There is no such notice.")
		}
		return err
	})
	return n, err
}
