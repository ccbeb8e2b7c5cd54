-- The first migration has got this index after databases were made by it.

-- +goose Up
DROP INDEX IF EXISTS certificates_compromised;
CREATE INDEX certificates_compromised ON certificates (public_key_sha256) WHERE revocation_reason = 'keyCompromise';
