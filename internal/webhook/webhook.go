// Package webhook tells receivers outside of what stands in the audit log
// (contract, "Users and organizations"), in the form of Standard Webhooks.
//
//	audit log ──FanOut──▶ deliveries ──Sender──▶ receiver
//	           cursor     (pending)     lease      2xx: delivered
//	                                               else: pending again, later
//	                                               at last, or 410: failed
//
// FanOut follows the audit log from a cursor and writes a delivery for each
// active hook that an entry is for; deliveries and cursor move in one
// transaction, so that each entry gives each hook one delivery, however many
// replicas run and wherever they are killed. A Sender takes a delivery by a
// lease on its hook: one at a time for each hook, so that a slow receiver
// holds up nobody else, and again when the lease has run out without an
// outcome. A message arrives at least once; webhook-id tells a repetition.
//
// The signing secret lies in the vault alone. The row names the document, so
// a new secret takes effect in the transaction that audits it.
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

// Webhook is a receiver with what it is told.
type Webhook struct {
	ID             int64
	OrganizationID *int64 // nil: of the global admins, gets every entry
	URL            string
	Description    string
	Actions        []string // whole actions, or prefixes that end in a dot; empty: all
	IsActive       bool
	SecretRef      string // the document in the vault that holds the signing secret
	CreatedBy      int64  // user id
	CreatedByName  string // read only: the store joins it
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// Status is how far a delivery has come.
type Status string

// The statuses.
const (
	Pending   Status = "pending"
	Delivered Status = "delivered"
	Failed    Status = "failed"
)

// Delivery is one audit entry on its way to one receiver.
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

// Filter narrows a list of deliveries; zero fields do not.
type Filter struct{ Status Status }

// Change is what to change of a webhook; nil leaves alone.
type Change struct {
	URL         *string
	Description *string
	Actions     *[]string
	IsActive    *bool // true begins anew: what happened while it was off is not told
	SecretRef   *string
	// ExpectSecretRef guards a change of SecretRef against another.
	ExpectSecretRef string
	At              time.Time
}

// Target is an active webhook, as the fan-out sees it.
type Target struct {
	Webhook
	After int64 // the newest audit entry when it was created or switched on
	// Muted: it is told nothing, since its organization is disabled, or who
	// made it is, or may not have such a webhook any more.
	Muted bool
}

// Claim is a delivery in a sender's hands.
type Claim struct {
	Webhook  Webhook
	Delivery Delivery     // with this attempt counted
	Entry    *audit.Entry // nil when the audit log does not hold it any more
	Lease    int64        // tells this claim of the hook from later ones
}

// Result is what became of a claim.
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
	// nil) has MaxPerOrganization already. Entries that come after the call's
	// own are for it.
	InsertWebhook(ctx context.Context, w Webhook, entry audit.Entry) (Webhook, error)
	// Webhook is NotFound outside scope.
	Webhook(ctx context.Context, scope access.Scope, id int64) (Webhook, error)
	// ListWebhooks returns those in scope, newest first.
	ListWebhooks(ctx context.Context, scope access.Scope, p page.Request) (page.Page[Webhook], error)
	// UpdateWebhook is NotFound outside scope, and Conflict when SecretRef is
	// not the expected one any more.
	UpdateWebhook(ctx context.Context, scope access.Scope, id int64, c Change, entries ...audit.Entry) (Webhook, error)
	// DeleteWebhook removes a webhook; nothing of it is sent or shown any
	// more. NotFound outside scope.
	DeleteWebhook(ctx context.Context, scope access.Scope, id int64, entry audit.Entry) error
	// PurgeDeliveries removes at most limit deliveries of a deleted webhook
	// and returns how many; of one that lives it removes none.
	PurgeDeliveries(ctx context.Context, webhookID int64, limit int) (int, error)
	// DeleteDeliveries removes at most limit deliveries made before then,
	// whatever their status, and returns how many.
	DeleteDeliveries(ctx context.Context, before time.Time, limit int) (int, error)

	// ListDeliveries returns those of a webhook, newest first.
	ListDeliveries(ctx context.Context, webhookID int64, f Filter, p page.Request) (page.Page[Delivery], error)
	// Delivery is NotFound when its webhook lies outside scope; it comes with
	// the webhook.
	Delivery(ctx context.Context, scope access.Scope, id int64) (Delivery, Webhook, error)
	// ReplayDelivery makes a delivery pending, due at that time, with no
	// attempt counted. An attempt that is under way decides nothing any more.
	// NotFound when its webhook lies outside scope.
	ReplayDelivery(ctx context.Context, scope access.Scope, id int64, at time.Time, entry audit.Entry) (Delivery, error)

	// ActiveWebhooks returns all that are switched on.
	ActiveWebhooks(ctx context.Context) ([]Target, error)
	// WebhookCursor is the id of the last audit entry that was fanned out.
	WebhookCursor(ctx context.Context) (int64, error)
	// RewindWebhooks does nothing unless the cursor or a webhook's beginning
	// lies above the newest audit entry, which is so after a restore of a
	// backup that holds less of the log, or none. Then they move back to the
	// newest entry, and deliveries of entries above it, whose numbers others
	// will get, go.
	RewindWebhooks(ctx context.Context) error
	// FanOut inserts pending deliveries, due at their CreatedAt, and moves the
	// cursor, both or neither: false, and nothing done, when the cursor does
	// not stand at from. It leaves out webhooks that were deleted meanwhile,
	// and a delivery of an entry that its webhook has one of already.
	FanOut(ctx context.Context, from, to int64, deliveries []Delivery) (bool, error)
	// ClaimDelivery takes the most overdue delivery of an active webhook that
	// is not muted and that nobody has a lease on, and leases the webhook
	// until then. Of several webhooks it takes the one that was served the
	// longest ago, and none of an organization (or of the global admins) that
	// has LeasesPerOrganization leases. False when there is none.
	ClaimDelivery(ctx context.Context, now, until time.Time) (Claim, bool, error)
	// FinishDelivery records what became of a claim and ends its lease. It
	// changes nothing of a delivery that was replayed or claimed again
	// meanwhile, or whose webhook was deleted.
	FinishDelivery(ctx context.Context, c Claim, r Result) error
	// WebhookSecretRefs returns the documents that webhooks refer to.
	WebhookSecretRefs(ctx context.Context) ([]string, error)
}

// MaxPerOrganization bounds how many webhooks an organization may have.
const MaxPerOrganization = 20

// LeasesPerOrganization bounds how many of an organization's webhooks are sent
// to at once, by all replicas: a quarter of what one Sender does, so that
// receivers of one that hang do not hold up those of others.
const LeasesPerOrganization = 4
