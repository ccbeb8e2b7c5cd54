package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

const noticeColumns = "n.id, n.user_id, n.kind, n.message, n.created_at, n.read_at, n.params"

func scanNotice(row scanner) (n notice.Notice, err error) {
	var created int64
	var read *int64
	var params string
	if err = row.Scan(&n.ID, &n.UserID, &n.Kind, &n.Message, &created, &read, &params); err != nil {
		return n, err
	}
	n.CreatedAt, n.ReadAt = moment(created), momentOf(read)
	n.Params, err = paramsOf(params)
	return n, err
}

// paramsText encodes what a message's sentences name.
func paramsText(p notice.Params) (string, error) {
	if p == nil {
		p = notice.Params{}
	}
	b, err := json.Marshal(p)
	return string(b), err
}

// paramsOf returns nil for a row that names nothing: the column's default.
func paramsOf(text string) (p notice.Params, err error) {
	if text == "" {
		return nil, nil
	}
	if err = json.Unmarshal([]byte(text), &p); err != nil {
		return nil, fmt.Errorf("store: what a message names: %w", err)
	}
	return p, nil
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
		if err != nil {
			return err
		}
		n = notice.Notice{ID: row.ID, UserID: row.UserID, Kind: notice.Kind(row.Kind), Message: row.Message,
			CreatedAt: moment(row.CreatedAt), ReadAt: momentOf(row.ReadAt)}
		n.Params, err = paramsOf(row.Params)
		return err
	})
	return n, err
}
