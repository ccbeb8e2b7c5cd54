// Package webhook sends entries of the audit log to external receivers
// (contract, "Users and organizations"), as Standard Webhooks.
//
//	audit log ──FanOut──▶ deliveries ──Sender──▶ receiver
//	           cursor     (pending)     lease      2xx: delivered
//	                                               else: pending again, later
//	                                               at last, or 410: failed
//
// FanOut reads the audit log from a cursor and writes a delivery for each
// active hook that should get an entry; deliveries and cursor move in one
// transaction, so that each entry causes one delivery per hook, however many
// replicas run and whenever they are killed. A Sender claims a delivery by a
// lease on its hook: only one per hook at a time, so that a slow receiver
// delays nobody else, and again when the lease expires without a result. A
// message arrives at least once; webhook-id identifies duplicates.
//
// Only the vault has the signing secret. The row names its document, so a new
// secret takes effect in the transaction that audits it.
//
// Routes: GET|POST /api/admin/webhooks, GET|PATCH|DELETE
// /api/admin/webhooks/{id}, GET /api/admin/webhooks/{id}/deliveries,
// POST /api/admin/webhooks/deliveries/{id}/replay.
package webhook

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
)

// Webhook is a receiver and its subscription.
type Webhook struct {
	ID             int64
	OrganizationID *int64 // nil: of the global admins, receives every entry
	URL            string
	Description    string
	Actions        []string // whole actions, or prefixes ending in a dot; empty: all
	IsActive       bool
	SecretRef      string // the vault document with the signing secret
	CreatedBy      int64  // user id
	CreatedByName  string // read only: the store joins it
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Status is the state of a delivery.
type Status string

// The statuses.
const (
	Pending   Status = "pending"
	Delivered Status = "delivered"
	Failed    Status = "failed"
)

// Delivery is one audit entry for one receiver.
type Delivery struct {
	ID             int64
	WebhookID      int64
	AuditID        int64
	MessageID      string // webhook-id: the same at every attempt and replay
	Action         audit.Action
	Status         Status
	Attempts       int
	NextAttemptAt  *time.Time // while pending
	LastStatusCode *int       // of the last attempt that got an answer
	LastError      Class      // of the last attempt; empty after a success
	CreatedAt      time.Time
	DeliveredAt    *time.Time
}

// Filter narrows a list of deliveries; zero fields do not filter.
type Filter struct{ Status Status }

// Change is a change of a webhook; nil is unchanged.
type Change struct {
	URL         *string
	Description *string
	Actions     *[]string
	IsActive    *bool // true starts anew: entries from while it was off are not sent
	SecretRef   *string
	// ExpectSecretRef guards a change of SecretRef against a concurrent one.
	ExpectSecretRef string
	At              time.Time
}

// Target is an active webhook, as seen by the fan-out.
type Target struct {
	Webhook
	After int64 // the newest audit entry when it was created or turned on
	// Muted: it gets nothing, because its organization or creator is disabled,
	// or the creator may no longer have such a webhook.
	Muted bool
}

// Claim is a delivery leased by a sender.
type Claim struct {
	Webhook  Webhook
	Delivery Delivery     // with this attempt counted
	Entry    *audit.Entry // nil when the audit log no longer has it
	Lease    int64        // distinguishes this claim of the hook from later ones
}

// Result is the outcome of a claim.
type Result struct {
	Status        Status
	Attempts      int
	NextAttemptAt *time.Time // while pending
	StatusCode    *int
	Error         Class
	At            time.Time
}

// Store keeps webhooks and deliveries.
type Store interface {
	// InsertWebhook sets ID. Invalid for organization_id when there is no such
	// organization; Conflict when that organization (or the global admins, for
	// nil) already has MaxPerOrganization. The webhook gets entries later than
	// the call's own.
	InsertWebhook(ctx context.Context, w Webhook, entry audit.Entry) (Webhook, error)
	// Webhook is NotFound outside scope.
	Webhook(ctx context.Context, scope access.Scope, id int64) (Webhook, error)
	// ListWebhooks returns the webhooks in scope, newest first.
	ListWebhooks(ctx context.Context, scope access.Scope, p page.Request) (page.Page[Webhook], error)
	// UpdateWebhook is NotFound outside scope, and Conflict when SecretRef is
	// no longer the expected one.
	UpdateWebhook(ctx context.Context, scope access.Scope, id int64, c Change, entries ...audit.Entry) (Webhook, error)
	// DeleteWebhook removes a webhook; nothing of it is sent or shown any more.
	// NotFound outside scope.
	DeleteWebhook(ctx context.Context, scope access.Scope, id int64, entry audit.Entry) error
	// PurgeDeliveries removes at most limit deliveries of a deleted webhook and
	// returns how many; none of an existing one.
	PurgeDeliveries(ctx context.Context, webhookID int64, limit int) (int, error)
	// DeleteDeliveries removes at most limit deliveries created before then,
	// whatever their status, and returns how many.
	DeleteDeliveries(ctx context.Context, before time.Time, limit int) (int, error)

	// ListDeliveries returns a webhook's deliveries, newest first.
	ListDeliveries(ctx context.Context, webhookID int64, f Filter, p page.Request) (page.Page[Delivery], error)
	// Delivery returns a delivery and its webhook; NotFound when the webhook is outside scope.
	Delivery(ctx context.Context, scope access.Scope, id int64) (Delivery, Webhook, error)
	// ReplayDelivery makes a delivery pending, due at that time, with zero
	// attempts. The result of a current attempt is ignored. NotFound when its
	// webhook is outside scope.
	ReplayDelivery(ctx context.Context, scope access.Scope, id int64, at time.Time, entry audit.Entry) (Delivery, error)

	// ActiveWebhooks returns all that are turned on.
	ActiveWebhooks(ctx context.Context) ([]Target, error)
	// WebhookCursor returns the id of the last audit entry fanned out.
	WebhookCursor(ctx context.Context) (int64, error)
	// RewindWebhooks does nothing unless the cursor or a webhook's start is
	// above the newest audit entry, as after restoring a backup with less of
	// the log, or none. Then it moves them back to the newest entry, and
	// removes the deliveries of later entries, whose ids will be reused.
	RewindWebhooks(ctx context.Context) error
	// FanOut inserts pending deliveries, due at their CreatedAt, and moves the
	// cursor, both or neither: false, and no effect, when the cursor is not at
	// from. It skips webhooks deleted since, and entries of which the webhook
	// already has a delivery.
	FanOut(ctx context.Context, from, to int64, deliveries []Delivery) (bool, error)
	// ClaimDelivery claims the most overdue delivery of an active, unmuted and
	// unleased webhook, and leases the webhook until then. Of several webhooks
	// it takes the one served longest ago, but none of an organization (or of
	// the global admins) with LeasesPerOrganization leases. False when there is
	// none.
	ClaimDelivery(ctx context.Context, now, until time.Time) (Claim, bool, error)
	// FinishDelivery records the result of a claim and ends its lease. It
	// changes nothing about a delivery that was replayed or claimed again
	// since, or whose webhook was deleted.
	FinishDelivery(ctx context.Context, c Claim, r Result) error
	// WebhookSecretRefs returns the documents that webhooks refer to.
	WebhookSecretRefs(ctx context.Context) ([]string, error)
}

// MaxPerOrganization bounds how many webhooks an organization may have.
const MaxPerOrganization = 20

// LeasesPerOrganization bounds how many of an organization's webhooks are sent
// to at once, by all replicas: a quarter of one Sender's attempts, so that an
// organization's hanging receivers do not delay others.
const LeasesPerOrganization = 4
