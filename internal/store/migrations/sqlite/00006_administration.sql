-- Token administration: the hourly cap of releases, the releases that the
-- compliance report counts, and the indexes that it counts with.

-- +goose Up

-- How often the token's certificates were all revoked at once: by loss,
-- retirement, reset, a change of owner. Who signed after seeing an earlier
-- number signed a key of the time before.
ALTER TABLE hwkeys ADD COLUMN generation BIGINT NOT NULL DEFAULT 0;

-- The cap: for each person the tokens of others that were released in the
-- last hour, each once, with its last time. Older rows go at the next release.
CREATE TABLE release_windows (
    actor_id BIGINT NOT NULL REFERENCES users (id),
    hwkey_id BIGINT NOT NULL REFERENCES hwkeys (id),
    at       BIGINT NOT NULL,
    PRIMARY KEY (actor_id, hwkey_id)
);

-- One row for each such person: the lock under which the above is counted,
-- and when the administrators were last told of a refusal; 0 is never.
CREATE TABLE release_limits (
    actor_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id),
    told_at  BIGINT NOT NULL
);

-- Releases that happened, with the organization that the token had then. No
-- foreign keys: a release is a fact of its day.
CREATE TABLE secret_releases (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    at              BIGINT NOT NULL,
    actor_id        BIGINT NOT NULL,
    serial          TEXT NOT NULL,
    organization_id BIGINT,
    own             BOOLEAN NOT NULL,
    reason          TEXT NOT NULL
);
CREATE INDEX secret_releases_at ON secret_releases (at, organization_id);
CREATE INDEX secret_releases_reason ON secret_releases (organization_id, reason, at);

-- What the report counts, it counts in indexes alone.
CREATE INDEX hwkeys_report_firmware ON hwkeys (organization_id, firmware_version);
CREATE INDEX hwkeys_report_changed ON hwkeys (organization_id, secrets_changed_at, id, status) WHERE status <> 'retired';
CREATE INDEX hwkeys_report_holders ON hwkeys (owner_id, status) WHERE status <> 'lost' AND status <> 'retired';
CREATE INDEX users_report_active ON users (organization_id, id) WHERE is_active = TRUE;
CREATE INDEX certificates_report_ends ON certificates (organization_id, not_after, id) WHERE status = 'issued';

-- +goose Down
DROP INDEX certificates_report_ends;
DROP INDEX users_report_active;
DROP INDEX hwkeys_report_holders;
DROP INDEX hwkeys_report_changed;
DROP INDEX hwkeys_report_firmware;
DROP TABLE secret_releases;
DROP TABLE release_limits;
DROP TABLE release_windows;
ALTER TABLE hwkeys DROP COLUMN generation;
