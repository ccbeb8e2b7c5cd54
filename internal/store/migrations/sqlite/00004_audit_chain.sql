-- +goose Up

-- The seals of the audit log (docs/audit.md): entries in the order of their
-- ids, hashed into a chain and signed in batches. Hashes and signatures are
-- hex; leaves is base64.
CREATE TABLE audit_batches (
    id            BIGINT NOT NULL PRIMARY KEY, -- given by the sealer: two of them cannot fork the chain
    segment       BIGINT NOT NULL,
    first_id      BIGINT NOT NULL,
    last_id       BIGINT NOT NULL,
    entry_count   BIGINT NOT NULL,
    previous_hash TEXT NOT NULL,
    hash          TEXT NOT NULL,
    link          TEXT NOT NULL,
    leaves        TEXT NOT NULL,
    sealed_at     BIGINT NOT NULL,
    key_id        TEXT NOT NULL,
    signature     TEXT NOT NULL
);

-- Lists are newest first by time, and by id within one microsecond. With the
-- time in every index, a range of time far back costs what the newest costs.
DROP INDEX audit_entries_organization;
DROP INDEX audit_entries_actor_id;
DROP INDEX audit_entries_actor;
DROP INDEX audit_entries_target;
DROP INDEX audit_entries_action;
DROP INDEX audit_entries_organization_action;
DROP INDEX audit_entries_not_success;
DROP INDEX audit_entries_organization_not_success;
CREATE INDEX audit_entries_at ON audit_entries (at, id);
CREATE INDEX audit_entries_organization ON audit_entries (organization_id, at, id);
CREATE INDEX audit_entries_actor_id ON audit_entries (actor_id, at, id);
CREATE INDEX audit_entries_actor ON audit_entries (actor_key, at, id);
CREATE INDEX audit_entries_target ON audit_entries (target_key, at, id);
CREATE INDEX audit_entries_action ON audit_entries (action, at, id);
CREATE INDEX audit_entries_organization_action ON audit_entries (organization_id, action, at, id);
CREATE INDEX audit_entries_not_success ON audit_entries (at, id) WHERE outcome <> 'success';
CREATE INDEX audit_entries_organization_not_success ON audit_entries (organization_id, at, id) WHERE outcome <> 'success';

-- +goose Down
DROP INDEX audit_entries_organization_not_success;
DROP INDEX audit_entries_not_success;
DROP INDEX audit_entries_organization_action;
DROP INDEX audit_entries_action;
DROP INDEX audit_entries_target;
DROP INDEX audit_entries_actor;
DROP INDEX audit_entries_actor_id;
DROP INDEX audit_entries_organization;
DROP INDEX audit_entries_at;
CREATE INDEX audit_entries_organization ON audit_entries (organization_id, id);
CREATE INDEX audit_entries_actor_id ON audit_entries (actor_id, id);
CREATE INDEX audit_entries_actor ON audit_entries (actor_key, id);
CREATE INDEX audit_entries_target ON audit_entries (target_key, id);
CREATE INDEX audit_entries_action ON audit_entries (action, id);
CREATE INDEX audit_entries_organization_action ON audit_entries (organization_id, action, id);
CREATE INDEX audit_entries_not_success ON audit_entries (id) WHERE outcome <> 'success';
CREATE INDEX audit_entries_organization_not_success ON audit_entries (organization_id, id) WHERE outcome <> 'success';
DROP TABLE audit_batches;
