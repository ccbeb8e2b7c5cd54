-- name: InsertWebhook :one
INSERT INTO webhooks (organization_id, url, description, actions, is_active, secret_ref, after_audit_id, created_by,
    created_at, updated_at, claims, claimed_at, lease_until)
VALUES ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9, 0, 0, 0)
RETURNING id;

-- name: CountWebhooksOf :one
SELECT count(*) FROM webhooks WHERE organization_id = $1;

-- name: CountGlobalWebhooks :one
SELECT count(*) FROM webhooks WHERE organization_id IS NULL;

-- name: BeginWebhook :exec
UPDATE webhooks SET after_audit_id = sqlc.arg(after) WHERE id = sqlc.arg(id);

-- name: LockWebhook :exec
-- An update that changes nothing: on PostgreSQL it takes the row's lock, so
-- that what is read after it stays true until the commit.
UPDATE webhooks SET secret_ref = secret_ref WHERE id = $1;

-- name: UpdateWebhook :exec
UPDATE webhooks SET url = $2, description = $3, actions = $4, is_active = $5, secret_ref = $6, updated_at = $7
WHERE id = $1;

-- name: DeleteWebhook :execrows
DELETE FROM webhooks WHERE id = $1;

-- name: PurgeDeliveries :execrows
DELETE FROM webhook_deliveries WHERE id IN (
    SELECT d.id FROM webhook_deliveries AS d WHERE d.webhook_id = sqlc.arg(webhook_id)
        AND NOT EXISTS (SELECT 1 FROM webhooks AS w WHERE w.id = d.webhook_id)
    ORDER BY d.id LIMIT sqlc.arg(max_rows));

-- name: DeleteDeliveriesBefore :execrows
DELETE FROM webhook_deliveries WHERE id IN (
    SELECT d.id FROM webhook_deliveries AS d WHERE d.created_at < sqlc.arg(before)
    ORDER BY d.created_at LIMIT sqlc.arg(max_rows));

-- name: WebhookCursor :one
SELECT audit_id FROM webhook_cursor WHERE name = 'audit';

-- name: MoveWebhookCursor :execrows
UPDATE webhook_cursor SET audit_id = sqlc.arg(move_to) WHERE name = 'audit' AND audit_id = sqlc.arg(move_from);

-- name: WebhooksAhead :one
-- How many of cursor and webhooks are past the newest audit entry: one
-- snapshot, no race.
SELECT (SELECT count(*) FROM webhook_cursor AS c WHERE c.audit_id > (SELECT CAST(COALESCE(max(e.id), 0) AS BIGINT) FROM audit_entries AS e))
    + (SELECT count(*) FROM webhooks AS w WHERE w.after_audit_id > (SELECT CAST(COALESCE(max(e.id), 0) AS BIGINT) FROM audit_entries AS e));

-- name: RewindWebhookCursor :exec
UPDATE webhook_cursor SET audit_id = sqlc.arg(log_end)
WHERE audit_id > (SELECT CAST(COALESCE(max(e.id), 0) AS BIGINT) FROM audit_entries AS e);

-- name: RewindWebhooks :exec
UPDATE webhooks SET after_audit_id = sqlc.arg(log_end)
WHERE after_audit_id > (SELECT CAST(COALESCE(max(e.id), 0) AS BIGINT) FROM audit_entries AS e);

-- name: DeleteDeliveriesAhead :exec
DELETE FROM webhook_deliveries WHERE audit_id > (SELECT CAST(COALESCE(max(e.id), 0) AS BIGINT) FROM audit_entries AS e);

-- name: InsertDelivery :exec
INSERT INTO webhook_deliveries (webhook_id, audit_id, message_id, action, status, attempts, next_attempt_at, last_error, created_at)
SELECT w.id, CAST(sqlc.arg(audit_id) AS BIGINT), CAST(sqlc.arg(message_id) AS TEXT), CAST(sqlc.arg(action) AS TEXT),
    'pending', 0, CAST(sqlc.arg(created_at) AS BIGINT), '', CAST(sqlc.arg(created_at) AS BIGINT)
FROM webhooks AS w WHERE w.id = sqlc.arg(webhook_id)
ON CONFLICT (webhook_id, audit_id) DO NOTHING;

-- name: ActiveWebhooks :many
-- Muted is what nobody is told of: the webhook's organization is disabled, or
-- who made it is, or has not the rights for it any more. WebhookToServe, the
-- next one, passes over the same.
SELECT w.id, w.organization_id, w.url, w.description, w.actions, w.is_active, w.secret_ref, w.created_by,
    u.username AS creator, w.created_at, w.updated_at, w.after_audit_id,
    CAST(NOT (COALESCE(o.is_active, TRUE) = TRUE AND u.is_active = TRUE AND (u.role = 'global_admin'
        OR (u.role = 'org_manager' AND w.organization_id IS NOT NULL AND COALESCE(u.organization_id, 0) = w.organization_id)))
        AS BOOLEAN) AS muted
FROM webhooks AS w
JOIN users AS u ON u.id = w.created_by
LEFT JOIN organizations AS o ON o.id = w.organization_id
WHERE w.is_active = TRUE ORDER BY w.id;

-- name: WebhookToServe :one
-- The active webhook that has something due, is nobody's, and was served the
-- longest ago. Organizations, and the global admins, that hold as many leases
-- as they may have are passed over; so are webhooks that are muted.
SELECT w.id FROM webhooks AS w
JOIN users AS u ON u.id = w.created_by
LEFT JOIN organizations AS o ON o.id = w.organization_id
WHERE w.is_active = TRUE AND w.lease_until <= sqlc.arg(at) AND (w.organization_id IS NULL OR o.is_active = TRUE)
    AND u.is_active = TRUE AND (u.role = 'global_admin' OR (u.role = 'org_manager' AND u.organization_id = w.organization_id))
    AND EXISTS (SELECT 1 FROM webhook_deliveries AS d
        WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.next_attempt_at <= sqlc.arg(at))
    AND (SELECT count(*) FROM webhooks AS held WHERE held.lease_until > sqlc.arg(at)
        AND (held.organization_id = w.organization_id OR (held.organization_id IS NULL AND w.organization_id IS NULL)))
        < CAST(sqlc.arg(leases) AS BIGINT)
ORDER BY w.claimed_at, w.claims, w.id LIMIT 1;

-- name: LeaseWebhook :one
UPDATE webhooks SET claims = claims + 1, claimed_at = sqlc.arg(at), lease_until = sqlc.arg(lease_until)
WHERE id = sqlc.arg(id) AND lease_until <= sqlc.arg(at)
RETURNING claims;

-- name: EndWebhookLease :exec
UPDATE webhooks SET lease_until = 0 WHERE id = sqlc.arg(id) AND claims = sqlc.arg(claims);

-- name: TakeDelivery :one
-- The most overdue one of a leased webhook, with this attempt counted.
UPDATE webhook_deliveries SET attempts = attempts + 1 WHERE id = (
    SELECT d.id FROM webhook_deliveries AS d
    WHERE d.webhook_id = sqlc.arg(webhook_id) AND d.status = 'pending' AND d.next_attempt_at <= sqlc.arg(at)
    ORDER BY d.next_attempt_at, d.id LIMIT 1)
RETURNING id;

-- name: FinishDelivery :exec
UPDATE webhook_deliveries SET status = sqlc.arg(status), attempts = sqlc.arg(attempts),
    next_attempt_at = sqlc.arg(next_attempt_at), last_status_code = sqlc.arg(last_status_code),
    last_error = sqlc.arg(last_error), delivered_at = sqlc.arg(delivered_at)
WHERE id = sqlc.arg(id) AND status = 'pending' AND attempts = sqlc.arg(claimed_attempts);

-- name: ReplayDelivery :exec
UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_attempt_at = sqlc.arg(at)
WHERE id = sqlc.arg(id);

-- name: WebhookSecretRefs :many
SELECT secret_ref FROM webhooks;

-- name: PendingDeliveries :one
SELECT count(*) FROM webhook_deliveries WHERE status = 'pending';
