-- Webhooks: receivers of audit entries, and the entries on their way to them.
-- Keep in step with ../postgres: same tables, same columns.

-- +goose Up
CREATE TABLE webhooks (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id BIGINT REFERENCES organizations (id),
    url             TEXT NOT NULL,
    description     TEXT NOT NULL,
    actions         TEXT NOT NULL, -- JSON array of strings
    is_active       BOOLEAN NOT NULL,
    secret_ref      TEXT NOT NULL, -- names the document in the vault
    after_audit_id  BIGINT NOT NULL, -- entries above are for it
    created_by      BIGINT NOT NULL REFERENCES users (id),
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    claims          BIGINT NOT NULL, -- how often it was claimed: the last claim's number
    claimed_at      BIGINT NOT NULL,
    lease_until     BIGINT NOT NULL -- nobody else sends to it until then
);
CREATE INDEX webhooks_organization ON webhooks (organization_id, id);

-- No foreign keys: a webhook with many deliveries goes at once, and they are
-- removed after it, bit by bit.
CREATE TABLE webhook_deliveries (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id       BIGINT NOT NULL,
    audit_id         BIGINT NOT NULL,
    message_id       TEXT NOT NULL,
    action           TEXT NOT NULL,
    status           TEXT NOT NULL,
    attempts         BIGINT NOT NULL,
    next_attempt_at  BIGINT,
    last_status_code BIGINT,
    last_error       TEXT NOT NULL,
    created_at       BIGINT NOT NULL,
    delivered_at     BIGINT,
    UNIQUE (webhook_id, audit_id)
);
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_status ON webhook_deliveries (webhook_id, status, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_created ON webhook_deliveries (created_at);

-- One row: the last audit entry that deliveries were made of.
CREATE TABLE webhook_cursor (
    name     TEXT NOT NULL PRIMARY KEY,
    audit_id BIGINT NOT NULL
);
INSERT INTO webhook_cursor (name, audit_id) VALUES ('audit', 0);

-- +goose Down
DROP TABLE webhook_cursor;
DROP TABLE webhook_deliveries;
DROP TABLE webhooks;
