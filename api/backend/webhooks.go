package backend

import (
	"time"
)

// NewWebhook is a webhook to be made.
type NewWebhook struct {
	OrganizationID *int64   `json:"organization_id,omitempty" nullable:"true" minimum:"1" doc:"absent: the manager's own; of a global admin: all entries"`
	URL            string   `json:"url" minLength:"1" maxLength:"2048" doc:"https, without credentials and fragment"`
	Description    string   `json:"description,omitempty" maxLength:"256"`
	Actions        []string `json:"actions,omitempty" nullable:"false" maxItems:"64" doc:"for example hwkey. or certificate.revoked; empty: all but auth.refresh"`
	IsActive       *bool    `json:"is_active,omitempty" doc:"default true"`
}

// Webhook is a receiver as the API shows it.
type Webhook struct {
	ID             int64     `json:"id"`
	OrganizationID *int64    `json:"organization_id" nullable:"true" doc:"the organization whose entries it gets; null: all"`
	URL            string    `json:"url"`
	Description    string    `json:"description"`
	Actions        []string  `json:"actions" nullable:"false" doc:"actions, or prefixes that end in a dot; empty: all except auth.refresh"`
	IsActive       bool      `json:"is_active"`
	CreatedBy      Owner     `json:"created_by"`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
	Secret         string    `json:"secret,omitempty" doc:"whsec_ and base64: the signing secret, shown once, when it was made"`
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
