package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

const noticeColumns = "n.id, n.user_id, n.kind, n.message, n.created_at, n.read_at, n.params"

func scanNotice(row scanner) (n notify.Notice, err error) {
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
func paramsText(p notify.Params) (string, error) {
	if p == nil {
		p = notify.Params{}
	}
	b, err := json.Marshal(p)
	return string(b), err
}

// paramsOf returns nil for a row that names nothing: the column's default.
func paramsOf(text string) (p notify.Params, err error) {
	if text == "" {
		return nil, nil
	}
	if err = json.Unmarshal([]byte(text), &p); err != nil {
		return nil, fmt.Errorf("store: what a message names: %w", err)
	}
	return p, nil
}

// ListNotices implements notify.Store.
func (db *DB) ListNotices(ctx context.Context, userID int64, f notify.Filter, p page.Request) (page.Page[notify.Notice], error) {
	w := &where{}
	w.equal("n.user_id", userID)
	if f.Unread {
		w.is("n.read_at IS NULL")
	}
	list := listed[notify.Notice]{"SELECT " + noticeColumns, " FROM notices AS n", "", "n.id",
		scanNotice, func(n notify.Notice) int64 { return n.ID }}
	return list.page(ctx, db, "list notices", w, p)
}

// ReadNotice implements notify.Store.
func (db *DB) ReadNotice(ctx context.Context, userID, id int64, at time.Time) (n notify.Notice, err error) {
	err = db.write(ctx, "read notice", func(ctx context.Context, t *tx) error {
		row, err := t.q.ReadNotice(ctx, sqlcgen.ReadNoticeParams{At: pointerTo(micros(at)), ID: id, UserID: userID})
		if none(err) {
			return fault.New(fault.NotFound, "no_notice", "There is no such notice.")
		}
		if err != nil {
			return err
		}
		n = notify.Notice{ID: row.ID, UserID: row.UserID, Kind: notify.Kind(row.Kind), Message: row.Message,
			CreatedAt: moment(row.CreatedAt), ReadAt: momentOf(row.ReadAt)}
		n.Params, err = paramsOf(row.Params)
		return err
	})
	return n, err
}
