-- The first migration has got this index after databases were made by it.

-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS certificates_compromised;
CREATE INDEX CONCURRENTLY certificates_compromised ON certificates (public_key_sha256) WHERE revocation_reason = 'keyCompromise';
RESET lock_timeout;
