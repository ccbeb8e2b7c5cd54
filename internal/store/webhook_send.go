package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/webhook"
)

// ActiveWebhooks implements webhook.Store.
func (db *DB) ActiveWebhooks(ctx context.Context) ([]webhook.Target, error) {
	rows, err := db.q().ActiveWebhooks(ctx)
	if err != nil {
		return nil, asFault("active webhooks", err)
	}
	targets := make([]webhook.Target, len(rows))
	for i, r := range rows {
		actions, err := listOf[string](r.Actions)
		if err != nil {
			return nil, asFault("active webhooks", err)
		}
		targets[i] = webhook.Target{After: r.AfterAuditID, Muted: r.Muted, Webhook: webhook.Webhook{
			ID: r.ID, OrganizationID: r.OrganizationID, URL: r.Url, Description: r.Description, Actions: actions, IsActive: r.IsActive,
			SecretRef: r.SecretRef, CreatedBy: r.CreatedBy, CreatedByName: r.Creator,
			CreatedAt: moment(r.CreatedAt), UpdatedAt: moment(r.UpdatedAt),
		}}
	}
	return targets, nil
}

// WebhookCursor implements webhook.Store.
func (db *DB) WebhookCursor(ctx context.Context) (int64, error) {
	id, err := db.q().WebhookCursor(ctx)
	return id, asFault("webhook cursor", err)
}

// RewindWebhooks implements webhook.Store.
func (db *DB) RewindWebhooks(ctx context.Context) error {
	if ahead, err := db.q().WebhooksAhead(ctx); err != nil || ahead == 0 {
		return asFault("rewind webhooks", err)
	}
	return db.write(ctx, "rewind webhooks", func(ctx context.Context, t *tx) error {
		end, err := t.end(ctx)
		if err != nil {
			return err
		}
		if err := t.q.RewindWebhookCursor(ctx, end); err != nil {
			return err
		}
		if err := t.q.RewindWebhooks(ctx, end); err != nil {
			return err
		}
		return t.q.DeleteDeliveriesAhead(ctx)
	})
}

// FanOut implements webhook.Store. On PostgreSQL the cursor's row is locked first, so that a second
// call waits and then finds it moved.
func (db *DB) FanOut(ctx context.Context, from, to int64, deliveries []webhook.Delivery) (moved bool, err error) {
	err = db.write(ctx, "fan out", func(ctx context.Context, t *tx) error {
		n, err := t.q.MoveWebhookCursor(ctx, sqlcgen.MoveWebhookCursorParams{MoveTo: to, MoveFrom: from})
		if moved = n == 1; err != nil || !moved {
			return err
		}
		for _, d := range deliveries {
			err := t.q.InsertDelivery(ctx, sqlcgen.InsertDeliveryParams{
				WebhookID: d.WebhookID, AuditID: d.AuditID, MessageID: d.MessageID, Action: string(d.Action),
				CreatedAt: micros(d.CreatedAt),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	return moved && err == nil, err
}

// claimTries bounds how often a claim looks for another webhook if another server was faster (only
// on PostgreSQL: SQLite has one writer).
const claimTries = 4

// ClaimDelivery implements webhook.Store. It reads first: mostly there is nothing to do, and then
// it writes nothing.
func (db *DB) ClaimDelivery(ctx context.Context, now, until time.Time) (webhook.Claim, bool, error) {
	switch _, err := db.q().WebhookToServe(ctx, toServe(now)); {
	case none(err):
		return webhook.Claim{}, false, nil
	case err != nil:
		return webhook.Claim{}, false, asFault("claim delivery", err)
	}
	var c webhook.Claim
	var found bool
	err := db.write(ctx, "claim delivery", func(ctx context.Context, t *tx) (err error) {
		for range claimTries {
			if c, found, err = t.claim(ctx, now, until); err != nil || found {
				return err
			}
		}
		return nil
	})
	return c, found && err == nil, err
}

func toServe(now time.Time) sqlcgen.WebhookToServeParams {
	return sqlcgen.WebhookToServeParams{At: micros(now), Leases: webhook.LeasesPerOrganization}
}

func (t *tx) claim(ctx context.Context, now, until time.Time) (c webhook.Claim, found bool, err error) {
	id, err := t.q.WebhookToServe(ctx, toServe(now))
	if none(err) {
		return c, false, nil
	}
	if err != nil {
		return c, false, err
	}
	c.Lease, err = t.q.LeaseWebhook(ctx, sqlcgen.LeaseWebhookParams{At: micros(now), LeaseUntil: micros(until), ID: id})
	if none(err) {
		return c, false, nil // another server has it now
	}
	if err != nil {
		return c, false, err
	}
	delivery, err := t.q.TakeDelivery(ctx, sqlcgen.TakeDeliveryParams{WebhookID: id, At: pointerTo(micros(now))})
	if none(err) {
		return c, false, t.q.EndWebhookLease(ctx, sqlcgen.EndWebhookLeaseParams{ID: id, Claims: c.Lease})
	}
	if err != nil {
		return c, false, err
	}
	if c.Delivery, err = deliveryByID(ctx, t.sql, access.All(), delivery); err != nil {
		return c, false, err
	}
	if c.Webhook, err = webhookByID(ctx, t.sql, access.All(), id); err != nil {
		return c, false, err
	}
	switch e, err := queryOne(ctx, t.sql, scanEntry, "SELECT "+auditColumns+" FROM audit_entries AS e WHERE e.id = $1", c.Delivery.AuditID); {
	case err == nil:
		c.Entry = &e
	case !none(err):
		return c, false, err
	}
	return c, true, nil
}

// FinishDelivery implements webhook.Store.
func (db *DB) FinishDelivery(ctx context.Context, c webhook.Claim, r webhook.Result) error {
	return db.write(ctx, "finish delivery", func(ctx context.Context, t *tx) error {
		p := sqlcgen.FinishDeliveryParams{
			Status: string(r.Status), Attempts: int64(r.Attempts), NextAttemptAt: microsOf(r.NextAttemptAt),
			LastError: string(r.Error), ID: c.Delivery.ID, ClaimedAttempts: int64(c.Delivery.Attempts),
		}
		if r.StatusCode != nil {
			p.LastStatusCode = pointerTo(int64(*r.StatusCode))
		}
		if r.Status == webhook.Delivered {
			p.DeliveredAt = pointerTo(micros(r.At))
		}
		if err := t.q.FinishDelivery(ctx, p); err != nil {
			return err
		}
		return t.q.EndWebhookLease(ctx, sqlcgen.EndWebhookLeaseParams{ID: c.Webhook.ID, Claims: c.Lease})
	})
}
