package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/settings"
)

func viewBody(v settings.View) backend.View {
	return backend.View{ID: v.ID, List: string(v.List), Name: v.Name, Query: v.Query, Shared: v.Shared}
}

func registerViews(s *httpapi.Server, svc *settings.Views) {
	tags := []string{"views"}
	httpapi.Register(s, httpapi.Operation{ID: "list-views", Method: http.MethodGet, Path: "/api/views", Tags: tags,
		Summary: "List the saved views: your own, and your organization's"},
		func(ctx context.Context, _ *struct{}) (*answer[backend.Views], error) {
			views, err := svc.List(ctx, httpapi.ActorFrom(ctx))
			if err != nil {
				return nil, err
			}
			out := backend.Views{Views: make([]backend.View, len(views))}
			for i, v := range views {
				out.Views[i] = viewBody(v)
			}
			return &answer[backend.Views]{out}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "create-view", Method: http.MethodPost, Path: "/api/views", Tags: tags,
		Status: http.StatusCreated, Summary: "Save a view of a list",
		Description: "One with the same list and name is replaced. You can have 100 of your own, and so can an organization."},
		func(ctx context.Context, in *struct{ Body backend.NewView }) (*answer[backend.View], error) {
			b := in.Body
			v, err := svc.Save(ctx, httpapi.ActorFrom(ctx), settings.View{
				List: settings.ViewList(b.List), Name: b.Name, Query: b.Query, Shared: b.Shared,
			})
			if err != nil {
				return nil, err
			}
			return &answer[backend.View]{viewBody(v)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "delete-view", Method: http.MethodDelete, Path: "/api/views/{id}", Tags: tags,
		Status: http.StatusNoContent, Summary: "Delete a view", Description: "Managers can also delete a shared one."},
		func(ctx context.Context, in *struct {
			ID string `path:"id" maxLength:"64"`
		}) (*struct{}, error) {
			return nil, svc.Delete(ctx, httpapi.ActorFrom(ctx), in.ID)
		})
}
