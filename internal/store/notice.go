package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// notify writes a message to everybody in its audience, in the transaction
// of what it tells of.
func (t *tx) notify(ctx context.Context, m notice.Message) error {
	if m.To.UserID != 0 {
		return t.q.NotifyUser(ctx, sqlcgen.NotifyUserParams{
			Kind: string(m.Kind), Message: m.Message, CreatedAt: micros(m.At), UserID: m.To.UserID})
	}
	return t.q.NotifyAdmins(ctx, sqlcgen.NotifyAdminsParams{
		Kind: string(m.Kind), Message: m.Message, CreatedAt: micros(m.At), OrganizationID: m.To.OrganizationID})
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
		row, err := t.q.ReadNotice(ctx, sqlcgen.ReadNoticeParams{At: pointerTo(micros(at)), ID: id, UserID: userID})
		if none(err) {
			return fault.New(fault.NotFound, "no_notice", "There is no such notice.")
		}
		n = notice.Notice{ID: row.ID, UserID: row.UserID, Kind: notice.Kind(row.Kind), Message: row.Message,
			CreatedAt: moment(row.CreatedAt), ReadAt: momentOf(row.ReadAt)}
		return err
	})
	return n, err
}
