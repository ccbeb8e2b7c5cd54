package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
)

func apiKeyBody(k session.APIKey) backend.APIKey {
	return backend.APIKey{
		ID: k.ID, Name: k.Name, Prefix: k.Prefix, Role: string(k.Role), Scopes: words(k.Scopes), OrganizationID: k.OrganizationID,
		OrganizationName: k.OrganizationName, CreatedBy: backend.APIKeyCreator{ID: k.CreatedBy,
			Username: k.CreatedByName}, CreatedAt: k.CreatedAt.UTC(),
		ExpiresAt: k.ExpiresAt.UTC(), LastUsedAt: utc(k.LastUsedAt), RevokedAt: utc(k.RevokedAt),
	}
}

func registerAPIKeys(s *httpapi.Server, svc *session.APIKeys) {
	tags := []string{"api-keys"}
	httpapi.Register(s, httpapi.Operation{ID: "list-api-keys", Method: http.MethodGet, Path: "/api/admin/api-keys", Tags: tags,
		Summary: "List API keys, including revoked and expired ones"},
		func(ctx context.Context, in *struct {
			Paging
			Active    bool  `query:"active" doc:"true: only those neither revoked nor expired"`
			CreatedBy int64 `query:"created_by" minimum:"1" doc:"ID of the account that created them"`
		}) (*answer[page.Page[backend.APIKey]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			keys, err := svc.List(ctx, httpapi.ScopeFrom(ctx), in.Active, positive(in.CreatedBy), p)
			if err != nil {
				return nil, err
			}
			return &answer[page.Page[backend.APIKey]]{page.Map(keys, apiKeyBody)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "create-api-key", Method: http.MethodPost, Path: "/api/admin/api-keys",
		Tags: tags, Status: http.StatusCreated,
		Summary:     "Create an API key",
		Description: "The answer shows the key, only this once. A key has no session: it can't reach secrets, rotations, agents or keys."},
		func(ctx context.Context, in *struct{ Body backend.NewAPIKey }) (*answer[backend.CreatedAPIKey], error) {
			b := in.Body
			k, text, err := svc.Create(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), session.APIKeyRequest{
				Name: b.Name, Role: access.Role(b.Role), Scopes: typed[access.KeyScope](b.Scopes),
				OrganizationID: b.OrganizationID, ExpiresAt: b.ExpiresAt,
			})
			if err != nil {
				return nil, err
			}
			return &answer[backend.CreatedAPIKey]{backend.CreatedAPIKey{APIKey: apiKeyBody(k), Key: text.Reveal()}}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "revoke-api-key", Method: http.MethodDelete, Path: "/api/admin/api-keys/{id}",
		Tags: tags, Status: http.StatusNoContent,
		Summary: "Revoke an API key"},
		func(ctx context.Context, in *struct {
			ID int64 `path:"id" minimum:"1"`
		}) (*struct{}, error) {
			return &struct{}{}, svc.Revoke(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID)
		})
}
