package resource

import (
	"context"
	"net/http"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/apikey"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/page"
)

// APIKeyCreator is the account that made a key.
type APIKeyCreator struct {
	ID       int64  `json:"id"`
	Username string `json:"username"`
}

// APIKey is a key as the API shows it: without the key.
type APIKey struct {
	ID               int64         `json:"id"`
	Name             string        `json:"name"`
	Prefix           string        `json:"prefix" doc:"the first characters of the key, to recognise it by"`
	Role             string        `json:"role" enum:"global_admin,org_manager,user"`
	OrganizationID   *int64        `json:"organization_id" nullable:"true"`
	OrganizationName string        `json:"organization_name" doc:"empty without an organization"`
	CreatedBy        APIKeyCreator `json:"created_by" doc:"the key works as long as this account is active and may do as much"`
	CreatedAt        time.Time     `json:"created_at"`
	ExpiresAt        time.Time     `json:"expires_at"`
	LastUsedAt       *time.Time    `json:"last_used_at" nullable:"true" doc:"to about a minute"`
	RevokedAt        *time.Time    `json:"revoked_at" nullable:"true"`
}

// CreatedAPIKey is the answer to the creation of a key, the only one that holds
// the key itself.
type CreatedAPIKey struct {
	APIKey
	Key string `json:"key" doc:"the key, for Authorization: Bearer; it is shown this once"`
}

func apiKeyBody(k apikey.Key) APIKey {
	return APIKey{
		ID: k.ID, Name: k.Name, Prefix: k.Prefix, Role: string(k.Role), OrganizationID: k.OrganizationID,
		OrganizationName: k.OrganizationName, CreatedBy: APIKeyCreator{k.CreatedBy, k.CreatedByName}, CreatedAt: k.CreatedAt.UTC(),
		ExpiresAt: k.ExpiresAt.UTC(), LastUsedAt: utc(k.LastUsedAt), RevokedAt: utc(k.RevokedAt),
	}
}

type newAPIKey struct {
	Name           string     `json:"name" minLength:"1" maxLength:"256" doc:"1 to 64 characters; it stands in the audit log"`
	Role           string     `json:"role" enum:"global_admin,org_manager,user"`
	OrganizationID *int64     `json:"organization_id,omitempty" nullable:"true" minimum:"1" doc:"absent: the caller's own; a global_admin has none"`
	ExpiresAt      *time.Time `json:"expires_at,omitempty" nullable:"true" doc:"at most 400 days ahead; absent: in 90 days"`
}

func registerAPIKeys(s *httpapi.Server, svc *apikey.Service) {
	tags := []string{"api-keys"}
	httpapi.Register(s, httpapi.Operation{ID: "list-api-keys", Method: http.MethodGet, Path: "/api/admin/api-keys", Tags: tags,
		Summary: "List API keys, the revoked and expired ones too"},
		func(ctx context.Context, in *struct {
			Paging
			Active bool `query:"active" doc:"true: only those neither revoked nor expired"`
		}) (*answer[page.Page[APIKey]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			keys, err := svc.List(ctx, httpapi.ScopeFrom(ctx), in.Active, p)
			if err != nil {
				return nil, err
			}
			return &answer[page.Page[APIKey]]{page.Map(keys, apiKeyBody)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "create-api-key", Method: http.MethodPost, Path: "/api/admin/api-keys", Tags: tags, Status: http.StatusCreated,
		Summary: "Create an API key", Description: "The answer shows the key, this once. A key has no session: it reaches no secrets, rotations or agents, and no keys."},
		func(ctx context.Context, in *struct{ Body newAPIKey }) (*answer[CreatedAPIKey], error) {
			b := in.Body
			k, text, err := svc.Create(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), apikey.Request{
				Name: b.Name, Role: access.Role(b.Role), OrganizationID: b.OrganizationID, ExpiresAt: b.ExpiresAt,
			})
			if err != nil {
				return nil, err
			}
			return &answer[CreatedAPIKey]{CreatedAPIKey{apiKeyBody(k), text.Reveal()}}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "revoke-api-key", Method: http.MethodDelete, Path: "/api/admin/api-keys/{id}", Tags: tags, Status: http.StatusNoContent,
		Summary: "Revoke an API key at once"},
		func(ctx context.Context, in *struct {
			ID int64 `path:"id" minimum:"1"`
		}) (*struct{}, error) {
			return &struct{}{}, svc.Revoke(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID)
		})
}
