package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/webhook"
)

const deliveryColumns = `d.id, d.webhook_id, d.audit_id, d.message_id, d.action, d.status, d.attempts,
	d.next_attempt_at, d.last_status_code, d.last_error, d.created_at, d.delivered_at`

func scanDelivery(row scanner) (d webhook.Delivery, err error) {
	var created int64
	var next, delivered *int64
	err = row.Scan(&d.ID, &d.WebhookID, &d.AuditID, &d.MessageID, &d.Action, &d.Status, &d.Attempts,
		&next, &d.LastStatusCode, &d.LastError, &created, &delivered)
	d.CreatedAt, d.NextAttemptAt, d.DeliveredAt = moment(created), momentOf(next), momentOf(delivered)
	return d, err
}

// deliveryByID finds a delivery whose webhook lies in scope.
func deliveryByID(ctx context.Context, from querier, scope access.Scope, id int64) (webhook.Delivery, error) {
	c := &where{}
	c.equal("d.id", id)
	c.scope(scope, columns{organization: "w.organization_id"}, nil, nil, false)
	d, err := queryOne(ctx, from, scanDelivery, "SELECT "+deliveryColumns+
		" FROM webhook_deliveries AS d JOIN webhooks AS w ON w.id = d.webhook_id"+c.String(), c.args...)
	if none(err) {
		err = fault.New(fault.NotFound, "no_delivery", "There is no such delivery.")
	}
	return d, err
}

// Delivery implements webhook.Store.
func (db *DB) Delivery(ctx context.Context, scope access.Scope, id int64) (webhook.Delivery, webhook.Webhook, error) {
	d, err := deliveryByID(ctx, db.read, scope, id)
	if err != nil {
		return webhook.Delivery{}, webhook.Webhook{}, asFault("delivery", err)
	}
	w, err := webhookByID(ctx, db.read, scope, d.WebhookID)
	return d, w, asFault("delivery", err)
}

// ListDeliveries implements webhook.Store.
func (db *DB) ListDeliveries(ctx context.Context, webhookID int64, f webhook.Filter, p page.Request) (page.Page[webhook.Delivery], error) {
	c := &where{}
	c.equal("d.webhook_id", webhookID)
	if f.Status != "" {
		c.equal("d.status", string(f.Status))
	}
	list := listed[webhook.Delivery]{"SELECT " + deliveryColumns, " FROM webhook_deliveries AS d",
		"", "d.id", scanDelivery, func(d webhook.Delivery) int64 { return d.ID }}
	return list.page(ctx, db, "list deliveries", c, p)
}

// ReplayDelivery implements webhook.Store.
func (db *DB) ReplayDelivery(
	ctx context.Context, scope access.Scope, id int64, at time.Time, entry audit.Entry,
) (d webhook.Delivery, err error) {
	err = db.write(ctx, "replay delivery", func(ctx context.Context, t *tx) error {
		if _, err := deliveryByID(ctx, t.sql, scope, id); err != nil {
			return err
		}
		if err := t.q.ReplayDelivery(ctx, sqlcgen.ReplayDeliveryParams{At: pointerTo(micros(at)), ID: id}); err != nil {
			return err
		}
		if d, err = deliveryByID(ctx, t.sql, scope, id); err != nil {
			return err
		}
		return t.audit(ctx, entry)
	})
	if err != nil {
		return webhook.Delivery{}, err
	}
	return d, nil
}

// PurgeDeliveries implements webhook.Store.
func (db *DB) PurgeDeliveries(ctx context.Context, webhookID int64, limit int) (n int, err error) {
	err = db.write(ctx, "purge deliveries", func(ctx context.Context, t *tx) error {
		rows, err := t.q.PurgeDeliveries(ctx, sqlcgen.PurgeDeliveriesParams{WebhookID: webhookID, MaxRows: int32(limit)})
		n = int(rows)
		return err
	})
	return n, err
}

// DeleteDeliveries implements webhook.Store.
func (db *DB) DeleteDeliveries(ctx context.Context, before time.Time, limit int) (n int, err error) {
	err = db.write(ctx, "delete deliveries", func(ctx context.Context, t *tx) error {
		rows, err := t.q.DeleteDeliveriesBefore(ctx, sqlcgen.DeleteDeliveriesBeforeParams{Before: micros(before), MaxRows: int32(limit)})
		n = int(rows)
		return err
	})
	return n, err
}
