package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/notify"
)

func notificationsBody(ctx context.Context, p notify.Preferences) backend.Notifications {
	out := backend.Notifications{
		Language: p.Language, Mail: map[string]bool{}, Kinds: []backend.NotificationKind{}, Address: p.Address,
		FailedAt: utc(p.FailedAt), Error: p.Error, Available: p.Available,
	}
	for kind, chosen := range p.Mail {
		out.Mail[string(kind)] = chosen
	}
	for _, row := range notify.Of(httpapi.ActorFrom(ctx).Role) {
		out.Kinds = append(out.Kinds, backend.NotificationKind{
			Kind: string(row.Kind), Choice: string(row.Choice), Mail: notify.ByMail(row.Kind, p.Mail)})
	}
	return out
}

func registerNotifications(s *httpapi.Server, store notify.Store) {
	tags := []string{"notices"}
	own := func(ctx context.Context) (*answer[backend.Notifications], error) {
		p, err := store.Preferences(ctx, httpapi.ActorFrom(ctx).UserID)
		if err != nil {
			return nil, err
		}
		return &answer[backend.Notifications]{notificationsBody(ctx, p)}, nil
	}
	httpapi.Register(s, httpapi.Operation{ID: "get-notifications", Method: http.MethodGet, Path: "/api/auth/notifications",
		Tags: tags, Summary: "Show what you get by mail"},
		func(ctx context.Context, _ *struct{}) (*answer[backend.Notifications], error) { return own(ctx) })
	httpapi.Register(s, httpapi.Operation{ID: "put-notifications", Method: http.MethodPut, Path: "/api/auth/notifications",
		Tags: tags, Summary: "Choose what you get by mail, and in which language",
		Description: "What you leave out doesn't change. Security messages are always sent."},
		func(ctx context.Context, in *struct{ Body backend.PutNotifications }) (*answer[backend.Notifications], error) {
			c := notify.Choosing{Language: in.Body.Language, Mail: map[notify.Kind]bool{}}
			for kind, chosen := range in.Body.Mail {
				c.Mail[notify.Kind(kind)] = chosen
			}
			if err := c.Check(); err != nil {
				return nil, err
			}
			if err := store.PutPreferences(ctx, httpapi.ActorFrom(ctx).UserID, c); err != nil {
				return nil, err
			}
			return own(ctx)
		})
}
