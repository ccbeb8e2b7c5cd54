-- Keep in step with ../postgres: same tables, same columns.

-- +goose Up
CREATE TABLE api_keys (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    name            TEXT NOT NULL,
    prefix          TEXT NOT NULL, -- for people to recognise it by
    hash            TEXT NOT NULL UNIQUE, -- hex SHA-256 of the key
    role            TEXT NOT NULL,
    organization_id BIGINT REFERENCES organizations (id),
    created_by      BIGINT NOT NULL REFERENCES users (id),
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL,
    last_used_at    BIGINT,
    revoked_at      BIGINT
);
CREATE INDEX api_keys_organization ON api_keys (organization_id, id);

-- +goose Down
DROP TABLE api_keys;
