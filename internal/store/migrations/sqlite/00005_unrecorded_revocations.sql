-- Revocations of certificates that no record knows.

-- +goose Up
CREATE TABLE IF NOT EXISTS unrecorded_revocations (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    serial_number     TEXT NOT NULL UNIQUE,
    revoked_at        BIGINT NOT NULL,
    revocation_reason TEXT NOT NULL,
    published_at      BIGINT,
    not_after         BIGINT NOT NULL, -- 0: not known
    public_key_sha256 TEXT NOT NULL, -- empty: not known
    der               TEXT NOT NULL -- base64; empty: not known
);
CREATE INDEX IF NOT EXISTS unrecorded_revocations_unpublished ON unrecorded_revocations (revoked_at, id) WHERE published_at IS NULL;
CREATE INDEX IF NOT EXISTS unrecorded_revocations_compromised ON unrecorded_revocations (public_key_sha256)
    WHERE revocation_reason = 'keyCompromise';
