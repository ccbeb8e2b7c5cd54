package resource

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/webhook"
)

// Webhook is a receiver as the API shows it.
type Webhook struct {
	ID             int64     `json:"id"`
	OrganizationID *int64    `json:"organization_id" nullable:"true" doc:"whose entries it is told; null: all"`
	URL            string    `json:"url"`
	Description    string    `json:"description"`
	Actions        []string  `json:"actions" nullable:"false" doc:"whole actions, or prefixes that end in a dot; empty: all"`
	IsActive       bool      `json:"is_active"`
	CreatedBy      Owner     `json:"created_by"`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
	Secret         string    `json:"secret,omitempty" doc:"whsec_ and base64: the signing secret, shown once, when it was made"`
}

func webhookBody(w webhook.Webhook) Webhook { return webhookWithSecret(w, secret.String{}) }

func webhookWithSecret(w webhook.Webhook, s secret.String) Webhook {
	actions := w.Actions
	if actions == nil {
		actions = []string{}
	}
	return Webhook{
		ID: w.ID, OrganizationID: w.OrganizationID, URL: w.URL, Description: w.Description, Actions: actions,
		IsActive: w.IsActive, CreatedBy: Owner{w.CreatedBy, w.CreatedByName}, CreatedAt: w.CreatedAt.UTC(), UpdatedAt: w.UpdatedAt.UTC(),
		Secret: s.Reveal(),
	}
}

// WebhookDelivery is an audit entry on its way to a receiver.
type WebhookDelivery struct {
	ID             int64      `json:"id"`
	WebhookID      int64      `json:"webhook_id"`
	AuditID        int64      `json:"audit_id"`
	MessageID      string     `json:"message_id" doc:"sent as webhook-id; the same at every attempt and replay"`
	Action         string     `json:"action"`
	Status         string     `json:"status" enum:"pending,delivered,failed"`
	Attempts       int        `json:"attempts"`
	NextAttemptAt  *time.Time `json:"next_attempt_at" nullable:"true"`
	LastStatusCode *int       `json:"last_status_code" nullable:"true" doc:"null when the last attempt got no answer"`
	LastError      string     `json:"last_error" doc:"why the last attempt failed, in a word; empty after a success"`
	CreatedAt      time.Time  `json:"created_at"`
	DeliveredAt    *time.Time `json:"delivered_at" nullable:"true"`
}

func deliveryBody(d webhook.Delivery) WebhookDelivery {
	return WebhookDelivery{
		ID: d.ID, WebhookID: d.WebhookID, AuditID: d.AuditID, MessageID: d.MessageID, Action: string(d.Action),
		Status: string(d.Status), Attempts: d.Attempts, NextAttemptAt: utc(d.NextAttemptAt), LastStatusCode: d.LastStatusCode,
		LastError: string(d.LastError), CreatedAt: d.CreatedAt.UTC(), DeliveredAt: utc(d.DeliveredAt),
	}
}

// WebhookData is the data of a webhook message: the entry as GET
// /api/admin/audit shows it.
func WebhookData(e audit.Entry) (json.RawMessage, error) { return json.Marshal(auditBody(e)) }

type webhookHandlers struct{ hooks *webhook.Service }

// WebhookPath is the id in a path: of a webhook, or of a delivery.
type WebhookPath struct {
	ID int64 `path:"id" minimum:"1"`
}

func registerWebhooks(s *httpapi.Server, svc *webhook.Service) {
	h, tags := webhookHandlers{svc}, []string{"webhooks"}
	const base = "/api/admin/webhooks"
	httpapi.Register(s, httpapi.Operation{ID: "list-webhooks", Method: http.MethodGet, Path: base, Tags: tags, Summary: "List webhooks"}, h.list)
	httpapi.Register(s, httpapi.Operation{ID: "create-webhook", Method: http.MethodPost, Path: base, Tags: tags, Status: http.StatusCreated,
		Summary: "Create a webhook", Description: "Later audit entries are posted to it, signed as in Standard Webhooks. The answer alone shows the signing secret."}, h.create)
	httpapi.Register(s, httpapi.Operation{ID: "get-webhook", Method: http.MethodGet, Path: base + "/{id}", Tags: tags, Summary: "Show a webhook"}, h.get)
	httpapi.Register(s, httpapi.Operation{ID: "update-webhook", Method: http.MethodPatch, Path: base + "/{id}", Tags: tags,
		Summary: "Change a webhook", Description: "With rotate_secret the answer shows a new signing secret; the old one signs nothing any more."}, h.update)
	httpapi.Register(s, httpapi.Operation{ID: "delete-webhook", Method: http.MethodDelete, Path: base + "/{id}", Tags: tags,
		Summary: "Delete a webhook", Description: "Its deliveries go with it, those that are pending too."}, h.delete)
	httpapi.Register(s, httpapi.Operation{ID: "list-webhook-deliveries", Method: http.MethodGet, Path: base + "/{id}/deliveries", Tags: tags,
		Summary: "List a webhook's deliveries", Description: "They are kept for 30 days."}, h.deliveries)
	httpapi.Register(s, httpapi.Operation{ID: "replay-webhook-delivery", Method: http.MethodPost, Path: base + "/deliveries/{id}/replay", Tags: tags,
		Summary: "Send a delivery again", Description: "At once, with the same webhook-id, and with all its attempts."}, h.replay)
}

func (h webhookHandlers) list(ctx context.Context, in *struct{ Paging }) (*answer[page.Page[Webhook]], error) {
	p, err := in.parse()
	if err != nil {
		return nil, err
	}
	list, err := h.hooks.List(ctx, httpapi.ScopeFrom(ctx), p)
	if err != nil {
		return nil, err
	}
	return &answer[page.Page[Webhook]]{page.Map(list, webhookBody)}, nil
}

func (h webhookHandlers) create(ctx context.Context, in *struct {
	Body struct {
		OrganizationID *int64   `json:"organization_id,omitempty" nullable:"true" minimum:"1" doc:"absent: the manager's own; of a global admin: all entries"`
		URL            string   `json:"url" minLength:"1" maxLength:"2048" doc:"https, without credentials and fragment"`
		Description    string   `json:"description,omitempty" maxLength:"256"`
		Actions        []string `json:"actions,omitempty" nullable:"false" maxItems:"64" doc:"for example hwkey. or certificate.revoked; empty: all"`
		IsActive       *bool    `json:"is_active,omitempty" doc:"default true"`
	}
}) (*answer[Webhook], error) {
	b := in.Body
	w, key, err := h.hooks.Create(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), webhook.New{
		OrganizationID: b.OrganizationID, URL: b.URL, Description: b.Description, Actions: b.Actions,
		Off: b.IsActive != nil && !*b.IsActive,
	})
	if err != nil {
		return nil, err
	}
	return &answer[Webhook]{webhookWithSecret(w, key)}, nil
}

func (h webhookHandlers) get(ctx context.Context, in *WebhookPath) (*answer[Webhook], error) {
	w, err := h.hooks.Get(ctx, httpapi.ScopeFrom(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &answer[Webhook]{webhookBody(w)}, nil
}

func (h webhookHandlers) update(ctx context.Context, in *struct {
	WebhookPath
	Body struct {
		URL          Optional[string]   `json:"url,omitempty" maxLength:"2048" doc:"never null"`
		Description  Optional[string]   `json:"description,omitempty" maxLength:"256"`
		Actions      Optional[[]string] `json:"actions,omitempty" maxItems:"64"`
		IsActive     *bool              `json:"is_active,omitempty" doc:"true begins anew: what happened while it was off is not told"`
		RotateSecret bool               `json:"rotate_secret,omitempty"`
	}
}) (*answer[Webhook], error) {
	b := in.Body
	w, key, err := h.hooks.Update(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID, webhook.Patch{
		URL: b.URL.orZero(), Description: b.Description.orZero(), Actions: b.Actions.orZero(), IsActive: b.IsActive, RotateSecret: b.RotateSecret,
	})
	if err != nil {
		return nil, err
	}
	return &answer[Webhook]{webhookWithSecret(w, key)}, nil
}

func (h webhookHandlers) delete(ctx context.Context, in *WebhookPath) (*struct{}, error) {
	return nil, h.hooks.Delete(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID)
}

func (h webhookHandlers) deliveries(ctx context.Context, in *struct {
	WebhookPath
	Paging
	Status string `query:"status" enum:"pending,delivered,failed"`
}) (*answer[page.Page[WebhookDelivery]], error) {
	p, err := in.parse()
	if err != nil {
		return nil, err
	}
	list, err := h.hooks.Deliveries(ctx, httpapi.ScopeFrom(ctx), in.ID, webhook.Filter{Status: webhook.Status(in.Status)}, p)
	if err != nil {
		return nil, err
	}
	return &answer[page.Page[WebhookDelivery]]{page.Map(list, deliveryBody)}, nil
}

func (h webhookHandlers) replay(ctx context.Context, in *WebhookPath) (*answer[WebhookDelivery], error) {
	d, err := h.hooks.Replay(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &answer[WebhookDelivery]{deliveryBody(d)}, nil
}
