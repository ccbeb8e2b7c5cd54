package resource

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/text/language"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/text"
	"github.com/keyward/keyward/internal/page"
)

// inWords returns a notice in a language. A notice written by a later version stays as
// it is.
func inWords(n notify.Notice, lang string) backend.Notice {
	out := backend.Notice{ID: n.ID, Kind: string(n.Kind), Message: n.Message, CreatedAt: n.CreatedAt.UTC(), ReadAt: utc(n.ReadAt)}
	said, err := text.Render(n.Kind, n.Params, lang, time.Local) //nolint:gosmopolitan // the place of the installation, as in its mail
	if err != nil {
		return out
	}
	out.Message = said.String()
	if said.Action != nil {
		out.Link = &backend.NoticeLink{Path: said.Action.Path, Text: said.Action.Text}
	}
	return out
}

// AcceptLanguage is the browser's language header.
type AcceptLanguage struct {
	AcceptLanguage string `header:"Accept-Language" hidden:"true"`
}

var spoken = language.NewMatcher([]language.Tag{language.English, language.German})

// language returns the reader's language: the header's if we support it, else the
// person's setting.
func (in AcceptLanguage) language(ctx context.Context, store notify.Store) (string, error) {
	tags, _, err := language.ParseAcceptLanguage(in.AcceptLanguage)
	if err == nil && len(tags) > 0 {
		if _, i, sure := spoken.Match(tags...); sure > language.No {
			return []string{text.English, text.German}[i], nil
		}
	}
	p, err := store.Preferences(ctx, httpapi.ActorFrom(ctx).UserID)
	return p.Language, err
}

func registerNotices(s *httpapi.Server, store notify.Store) {
	tags := []string{"notices"}
	httpapi.Register(s, httpapi.Operation{ID: "list-notices", Method: http.MethodGet, Path: "/api/notices",
		Tags: tags, Summary: "List your notices, newest first"},
		func(ctx context.Context, in *struct {
			Paging
			AcceptLanguage
			Unread bool `query:"unread" doc:"only those that are not read yet"`
		}) (*answer[page.Page[backend.Notice]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			lang, err := in.language(ctx, store)
			if err != nil {
				return nil, err
			}
			list, err := store.ListNotices(ctx, httpapi.ActorFrom(ctx).UserID, notify.Filter{Unread: in.Unread}, p)
			if err != nil {
				return nil, err
			}
			return &answer[page.Page[backend.Notice]]{page.Map(list, func(n notify.Notice) backend.Notice { return inWords(n, lang) })}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "read-notice", Method: http.MethodPost, Path: "/api/notices/{id}/read",
		Tags: tags, Summary: "Mark a notice as read"},
		func(ctx context.Context, in *struct {
			AcceptLanguage
			ID int64 `path:"id" minimum:"1"`
		}) (*answer[backend.Notice], error) {
			lang, err := in.language(ctx, store)
			if err != nil {
				return nil, err
			}
			n, err := store.ReadNotice(ctx, httpapi.ActorFrom(ctx).UserID, in.ID, s.Now())
			if err != nil {
				return nil, err
			}
			return &answer[backend.Notice]{inWords(n, lang)}, nil
		})
	registerNotifications(s, store)
}
