-- Lists in the order in which certificates end, and the few that are looked
-- for among the many: certificates that no token was seen to hold, accounts
-- that are locked.

-- +goose Up
CREATE INDEX certificates_organization_ends ON certificates (organization_id, not_after, id);

-- Those of one status come after the one of all: without statistics SQLite
-- takes the newest of two that would do, and these hold fewer rows.
DROP INDEX certificates_report_ends;
CREATE INDEX certificates_report_ends ON certificates (organization_id, not_after, id) WHERE status = 'issued';
CREATE INDEX certificates_organization_revoked_ends ON certificates (organization_id, not_after, id) WHERE status = 'revoked';
CREATE INDEX certificates_issued_ends ON certificates (not_after, id) WHERE status = 'issued';
CREATE INDEX certificates_revoked_ends ON certificates (not_after, id) WHERE status = 'revoked';
CREATE INDEX certificates_unconfirmed_ends ON certificates (not_after, id) WHERE installed_at IS NULL;
CREATE INDEX users_locked ON users (id) WHERE locked_until IS NOT NULL;

-- +goose Down
DROP INDEX users_locked;
DROP INDEX certificates_unconfirmed_ends;
DROP INDEX certificates_revoked_ends;
DROP INDEX certificates_issued_ends;
DROP INDEX certificates_organization_revoked_ends;
DROP INDEX certificates_organization_ends;
