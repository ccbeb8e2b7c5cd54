package store

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/sqlcgen"
	"github.com/keyward/keyward/internal/webhook"
)

var _ webhook.Store = (*DB)(nil)

var noWebhook = fault.New(fault.NotFound, "no_webhook", "There is no such webhook.")

const webhookColumns = `w.id, w.organization_id, w.url, w.description, w.actions, w.is_active, w.secret_ref,
	w.created_by, u.username, w.created_at, w.updated_at`

const (
	webhookTable = " FROM webhooks AS w"
	webhookJoin  = ` JOIN users AS u ON u.id = w.created_by`
	webhookFrom  = webhookTable + webhookJoin
)

func scanWebhook(row scanner) (w webhook.Webhook, err error) {
	var actions string
	var created, updated int64
	if err := row.Scan(&w.ID, &w.OrganizationID, &w.URL, &w.Description, &actions, &w.IsActive, &w.SecretRef,
		&w.CreatedBy, &w.CreatedByName, &created, &updated); err != nil {
		return webhook.Webhook{}, err
	}
	w.CreatedAt, w.UpdatedAt = moment(created), moment(updated)
	w.Actions, err = listOf[string](actions)
	return w, err
}

func webhookByID(ctx context.Context, from querier, scope access.Scope, id int64) (webhook.Webhook, error) {
	c := &where{}
	c.equal("w.id", id)
	c.scope(scope, columns{organization: "w.organization_id"}, nil, nil, false)
	w, err := queryOne(ctx, from, scanWebhook, "SELECT "+webhookColumns+webhookFrom+c.String(), c.args...)
	if none(err) {
		err = noWebhook
	}
	return w, err
}

// InsertWebhook implements webhook.Store.
func (db *DB) InsertWebhook(ctx context.Context, w webhook.Webhook, entry audit.Entry) (stored webhook.Webhook, err error) {
	actions, err := listText(w.Actions)
	if err != nil {
		return webhook.Webhook{}, asFault("insert webhook", err)
	}
	err = db.write(ctx, "insert webhook", func(ctx context.Context, t *tx) error {
		if err := t.checkOrganization(ctx, w.OrganizationID); err != nil {
			return err
		}
		if err := t.roomForWebhook(ctx, w.OrganizationID); err != nil {
			return err
		}
		id, err := t.q.InsertWebhook(ctx, sqlcgen.InsertWebhookParams{
			OrganizationID: w.OrganizationID, Url: w.URL, Description: w.Description, Actions: actions, IsActive: w.IsActive,
			SecretRef: w.SecretRef, CreatedBy: w.CreatedBy, CreatedAt: micros(w.CreatedAt), UpdatedAt: micros(w.UpdatedAt),
		})
		if err != nil {
			return err
		}
		if err := t.audit(ctx, about([]audit.Entry{entry}, "webhook", audit.ID(id))...); err != nil {
			return err
		}
		if err := t.beginWebhook(ctx, id); err != nil {
			return err
		}
		stored, err = webhookByID(ctx, t.sql, access.All(), id)
		return err
	})
	if err != nil {
		return webhook.Webhook{}, err
	}
	return stored, nil
}

// beginWebhook starts it here: existing entries are not for it, those under way are.
func (t *tx) beginWebhook(ctx context.Context, id int64) error {
	after, err := t.end(ctx)
	if err != nil {
		return err
	}
	return t.q.BeginWebhook(ctx, sqlcgen.BeginWebhookParams{After: after, ID: id})
}

func (t *tx) roomForWebhook(ctx context.Context, organizationID *int64) error {
	var n int64
	var err error
	if organizationID == nil {
		n, err = t.q.CountGlobalWebhooks(ctx)
	} else {
		n, err = t.q.CountWebhooksOf(ctx, organizationID)
	}
	if err == nil && n >= webhook.MaxPerOrganization {
		err = fault.Newf(fault.Conflict, "webhooks_full", "There are already {max} webhooks, the maximum. Delete one first.",
			fault.Params{"max": webhook.MaxPerOrganization})
	}
	return err
}

// Webhook implements webhook.Store.
func (db *DB) Webhook(ctx context.Context, scope access.Scope, id int64) (webhook.Webhook, error) {
	w, err := webhookByID(ctx, db.read, scope, id)
	return w, asFault("webhook", err)
}

// ListWebhooks implements webhook.Store.
func (db *DB) ListWebhooks(ctx context.Context, scope access.Scope, p page.Request) (page.Page[webhook.Webhook], error) {
	c := &where{}
	c.scope(scope, columns{organization: "w.organization_id"}, nil, nil, true)
	list := listed[webhook.Webhook]{"SELECT " + webhookColumns, webhookTable, webhookJoin, "w.id",
		scanWebhook, func(w webhook.Webhook) int64 { return w.ID }}
	return list.page(ctx, db, "list webhooks", c, p)
}

// UpdateWebhook implements webhook.Store.
func (db *DB) UpdateWebhook(
	ctx context.Context, scope access.Scope, id int64, c webhook.Change, entries ...audit.Entry,
) (stored webhook.Webhook, err error) {
	err = db.write(ctx, "update webhook", func(ctx context.Context, t *tx) error {
		if err := t.q.LockWebhook(ctx, id); err != nil {
			return err
		}
		w, err := webhookByID(ctx, t.sql, scope, id)
		if err != nil {
			return err
		}
		if c.SecretRef != nil && w.SecretRef != c.ExpectSecretRef {
			return fault.New(fault.Conflict, "webhook_changed", "Someone else has just changed the webhook's secret. Reload it.")
		}
		begins := c.IsActive != nil && *c.IsActive && !w.IsActive
		set(&w.URL, c.URL)
		set(&w.Description, c.Description)
		set(&w.Actions, c.Actions)
		set(&w.IsActive, c.IsActive)
		set(&w.SecretRef, c.SecretRef)
		actions, err := listText(w.Actions)
		if err != nil {
			return err
		}
		err = t.q.UpdateWebhook(ctx, sqlcgen.UpdateWebhookParams{
			ID: id, Url: w.URL, Description: w.Description, Actions: actions, IsActive: w.IsActive,
			SecretRef: w.SecretRef, UpdatedAt: micros(c.At),
		})
		if err != nil {
			return err
		}
		if err := t.audit(ctx, about(entries, "webhook", audit.ID(id))...); err != nil {
			return err
		}
		if begins {
			if err := t.beginWebhook(ctx, id); err != nil {
				return err
			}
		}
		stored, err = webhookByID(ctx, t.sql, scope, id)
		return err
	})
	if err != nil {
		return webhook.Webhook{}, err
	}
	return stored, nil
}

// DeleteWebhook implements webhook.Store.
func (db *DB) DeleteWebhook(ctx context.Context, scope access.Scope, id int64, entry audit.Entry) error {
	return db.write(ctx, "delete webhook", func(ctx context.Context, t *tx) error {
		if _, err := webhookByID(ctx, t.sql, scope, id); err != nil {
			return err
		}
		if n, err := t.q.DeleteWebhook(ctx, id); err != nil {
			return err
		} else if n == 0 {
			return noWebhook
		}
		return t.audit(ctx, about([]audit.Entry{entry}, "webhook", audit.ID(id))...)
	})
}

// WebhookSecretRefs implements webhook.Store.
func (db *DB) WebhookSecretRefs(ctx context.Context) ([]string, error) {
	refs, err := db.q().WebhookSecretRefs(ctx)
	return refs, asFault("webhook secret refs", err)
}
