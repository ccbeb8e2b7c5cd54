package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/page"
)

func noticeBody(n notice.Notice) backend.Notice {
	return backend.Notice{ID: n.ID, Kind: string(n.Kind), Message: n.Message, CreatedAt: n.CreatedAt.UTC(), ReadAt: utc(n.ReadAt)}
}

func registerNotices(s *httpapi.Server, store notice.Store) {
	tags := []string{"notices"}
	httpapi.Register(s, httpapi.Operation{ID: "list-notices", Method: http.MethodGet, Path: "/api/notices",
		Tags: tags, Summary: "List one's own notices, newest first"},
		func(ctx context.Context, in *struct {
			Paging
			Unread bool `query:"unread" doc:"only those that are not read yet"`
		}) (*answer[page.Page[backend.Notice]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			list, err := store.ListNotices(ctx, httpapi.ActorFrom(ctx).UserID, notice.Filter{Unread: in.Unread}, p)
			if err != nil {
				return nil, err
			}
			return &answer[page.Page[backend.Notice]]{page.Map(list, noticeBody)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "read-notice", Method: http.MethodPost, Path: "/api/notices/{id}/read",
		Tags: tags, Summary: "Mark a notice as read"},
		func(ctx context.Context, in *struct {
			ID int64 `path:"id" minimum:"1"`
		}) (*answer[backend.Notice], error) {
			n, err := store.ReadNotice(ctx, httpapi.ActorFrom(ctx).UserID, in.ID, s.Now())
			if err != nil {
				return nil, err
			}
			return &answer[backend.Notice]{noticeBody(n)}, nil
		})
}
