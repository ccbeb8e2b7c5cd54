package resource

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/webhook"
)

func webhookBody(w webhook.Webhook) backend.Webhook { return webhookWithSecret(w, secret.String{}) }

func webhookWithSecret(w webhook.Webhook, s secret.String) backend.Webhook {
	actions := w.Actions
	if actions == nil {
		actions = []string{}
	}
	return backend.Webhook{
		ID: w.ID, OrganizationID: w.OrganizationID, URL: w.URL, Description: w.Description, Actions: actions,
		IsActive: w.IsActive, CreatedBy: backend.Owner{ID: w.CreatedBy,
			Username: w.CreatedByName}, CreatedAt: w.CreatedAt.UTC(), UpdatedAt: w.UpdatedAt.UTC(),
		Secret: s.Reveal(),
	}
}

func deliveryBody(d webhook.Delivery) backend.WebhookDelivery {
	return backend.WebhookDelivery{
		ID: d.ID, WebhookID: d.WebhookID, AuditID: d.AuditID, MessageID: d.MessageID, Action: string(d.Action),
		Status: string(d.Status), Attempts: d.Attempts, NextAttemptAt: utc(d.NextAttemptAt), LastStatusCode: d.LastStatusCode,
		LastError: string(d.LastError), CreatedAt: d.CreatedAt.UTC(), DeliveredAt: utc(d.DeliveredAt),
	}
}

// WebhookData is the data of a webhook message: the entry as GET /api/admin/audit shows
// it.
func WebhookData(e audit.Entry) (json.RawMessage, error) { return json.Marshal(auditBody(e)) }

type webhookHandlers struct{ hooks *webhook.Service }

// WebhookPath is the id in a path: of a webhook, or of a delivery.
type WebhookPath struct {
	ID int64 `path:"id" minimum:"1"`
}

func registerWebhooks(s *httpapi.Server, svc *webhook.Service) {
	h, tags := webhookHandlers{svc}, []string{"webhooks"}
	const base = "/api/admin/webhooks"
	httpapi.Register(s, httpapi.Operation{ID: "list-webhooks", Method: http.MethodGet, Path: base, Tags: tags, Summary: "List webhooks"},
		h.list)
	httpapi.Register(s, httpapi.Operation{ID: "create-webhook", Method: http.MethodPost, Path: base, Tags: tags, Status: http.StatusCreated,
		Summary: "Create a webhook",
		Description: "Later audit entries are posted to it, signed as in Standard Webhooks. " +
			"Only this answer shows the signing secret."}, h.create)
	httpapi.Register(s, httpapi.Operation{ID: "get-webhook", Method: http.MethodGet, Path: base + "/{id}",
		Tags: tags, Summary: "Show a webhook"}, h.get)
	httpapi.Register(s, httpapi.Operation{ID: "update-webhook", Method: http.MethodPatch, Path: base + "/{id}", Tags: tags,
		Summary:     "Change a webhook",
		Description: "With rotate_secret, the answer shows a new signing secret; the old one no longer signs anything."}, h.update)
	httpapi.Register(s, httpapi.Operation{ID: "delete-webhook", Method: http.MethodDelete, Path: base + "/{id}", Tags: tags,
		Summary: "Delete a webhook", Description: "Also deletes its deliveries, including pending ones."}, h.delete)
	httpapi.Register(s, httpapi.Operation{ID: "list-webhook-deliveries", Method: http.MethodGet, Path: base + "/{id}/deliveries", Tags: tags,
		Summary: "List a webhook's deliveries", Description: "Deliveries are kept for 30 days."}, h.deliveries)
	httpapi.Register(s, httpapi.Operation{ID: "replay-webhook-delivery", Method: http.MethodPost,
		Path: base + "/deliveries/{id}/replay", Tags: tags,
		Summary: "Send a delivery again", Description: "Immediately, with the same webhook-id, and with all its attempts."}, h.replay)
}

func (h webhookHandlers) list(ctx context.Context, in *struct{ Paging }) (*answer[page.Page[backend.Webhook]], error) {
	p, err := in.parse()
	if err != nil {
		return nil, err
	}
	list, err := h.hooks.List(ctx, httpapi.ScopeFrom(ctx), p)
	if err != nil {
		return nil, err
	}
	return &answer[page.Page[backend.Webhook]]{page.Map(list, webhookBody)}, nil
}

func (h webhookHandlers) create(ctx context.Context, in *struct {
	Body backend.NewWebhook
}) (*answer[backend.Webhook], error) {
	b := in.Body
	w, key, err := h.hooks.Create(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), webhook.New{
		OrganizationID: b.OrganizationID, URL: b.URL, Description: b.Description, Actions: b.Actions,
		Off: b.IsActive != nil && !*b.IsActive,
	})
	if err != nil {
		return nil, err
	}
	return &answer[backend.Webhook]{webhookWithSecret(w, key)}, nil
}

func (h webhookHandlers) get(ctx context.Context, in *WebhookPath) (*answer[backend.Webhook], error) {
	w, err := h.hooks.Get(ctx, httpapi.ScopeFrom(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &answer[backend.Webhook]{webhookBody(w)}, nil
}

func (h webhookHandlers) update(ctx context.Context, in *struct {
	WebhookPath
	Body struct {
		Identified
		OrganizationID Optional[int64]    `json:"organization_id,omitempty" readOnly:"true" doc:"the present one: it can't be changed"`
		URL            Optional[string]   `json:"url,omitempty" maxLength:"2048" doc:"never null"`
		Description    Optional[string]   `json:"description,omitempty" maxLength:"256"`
		Actions        Optional[[]string] `json:"actions,omitempty" maxItems:"64"`
		IsActive       *bool              `json:"is_active,omitempty" doc:"true starts again: what happened while it was off isn't sent"`
		RotateSecret   bool               `json:"rotate_secret,omitempty"`
	}
}) (*answer[backend.Webhook], error) {
	b := in.Body
	if err := b.same(in.ID); err != nil {
		return nil, err
	}
	if sent := b.OrganizationID.orNil(); sent != nil {
		w, err := h.hooks.Get(ctx, httpapi.ScopeFrom(ctx), in.ID)
		if err != nil {
			return nil, err
		}
		if !access.SameID(*sent, w.OrganizationID) {
			return nil, fault.Invalid(readOnly("organization_id"))
		}
	}
	w, key, err := h.hooks.Update(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID, webhook.Patch{
		URL: b.URL.orZero(), Description: b.Description.orZero(), Actions: b.Actions.orZero(), IsActive: b.IsActive, RotateSecret: b.RotateSecret,
	})
	if err != nil {
		return nil, err
	}
	return &answer[backend.Webhook]{webhookWithSecret(w, key)}, nil
}

func (h webhookHandlers) delete(ctx context.Context, in *WebhookPath) (*struct{}, error) {
	return nil, h.hooks.Delete(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID)
}

func (h webhookHandlers) deliveries(ctx context.Context, in *struct {
	WebhookPath
	Paging
	Status string `query:"status" enum:"pending,delivered,failed"`
}) (*answer[page.Page[backend.WebhookDelivery]], error) {
	p, err := in.parse()
	if err != nil {
		return nil, err
	}
	list, err := h.hooks.Deliveries(ctx, httpapi.ScopeFrom(ctx), in.ID, webhook.Filter{Status: webhook.Status(in.Status)}, p)
	if err != nil {
		return nil, err
	}
	return &answer[page.Page[backend.WebhookDelivery]]{page.Map(list, deliveryBody)}, nil
}

func (h webhookHandlers) replay(ctx context.Context, in *WebhookPath) (*answer[backend.WebhookDelivery], error) {
	d, err := h.hooks.Replay(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &answer[backend.WebhookDelivery]{deliveryBody(d)}, nil
}
