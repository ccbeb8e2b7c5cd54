-- Times are microseconds since 1970, UTC. Columns named *_key are folded by
-- the server (NFC, case folding), so that comparing them ignores case alike
-- on both engines. Keep in step with ../postgres: same tables, same columns.

-- +goose Up
CREATE TABLE organizations (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL,
    name_key      TEXT NOT NULL UNIQUE,
    is_active     BOOLEAN NOT NULL,
    email_domains TEXT NOT NULL, -- JSON array of strings
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);

CREATE TABLE users (
    id                   INTEGER PRIMARY KEY AUTOINCREMENT,
    username             TEXT NOT NULL,
    username_key         TEXT NOT NULL,
    email                TEXT NOT NULL,
    email_key            TEXT NOT NULL,
    password_hash        TEXT NOT NULL,
    role                 TEXT NOT NULL,
    organization_id      BIGINT REFERENCES organizations (id),
    is_active            BOOLEAN NOT NULL,
    must_change_password BOOLEAN NOT NULL,
    auth_source          TEXT NOT NULL,
    created_at           BIGINT NOT NULL,
    updated_at           BIGINT NOT NULL,
    password_changed_at  BIGINT NOT NULL,
    last_login_at        BIGINT,
    locked_until         BIGINT
);
CREATE INDEX users_organization ON users (organization_id, id);
CREATE INDEX users_organization_role ON users (organization_id, role, id);
CREATE INDEX users_role ON users (role, id);
CREATE INDEX users_inactive ON users (id) WHERE is_active = FALSE;
CREATE INDEX users_organization_inactive ON users (organization_id, id) WHERE is_active = FALSE;

-- Every username and every email once: what a person may sign in with names
-- one account. A user whose username is the own email has one row.
CREATE TABLE logins (
    login_key TEXT NOT NULL PRIMARY KEY,
    user_id   BIGINT NOT NULL REFERENCES users (id)
);
CREATE INDEX logins_user ON logins (user_id);

CREATE TABLE refresh_families (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    session_id BIGINT NOT NULL, -- the present one; it may be cleaned up earlier
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX refresh_families_user ON refresh_families (user_id);
CREATE INDEX refresh_families_expires ON refresh_families (expires_at);

CREATE TABLE refresh_tokens (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    family_id    BIGINT NOT NULL REFERENCES refresh_families (id) ON DELETE CASCADE,
    hash         TEXT NOT NULL UNIQUE,
    created_at   BIGINT NOT NULL,
    used_at      BIGINT,
    successor_id BIGINT,
    dead         BOOLEAN NOT NULL
);
CREATE INDEX refresh_tokens_family ON refresh_tokens (family_id);

CREATE TABLE sessions (
    id                    INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id               BIGINT NOT NULL REFERENCES users (id),
    family_id             BIGINT NOT NULL, -- a session may outlive its family by an hour
    token_hash            TEXT NOT NULL,
    ip_address            TEXT NOT NULL,
    user_agent            TEXT NOT NULL,
    machine_id            TEXT NOT NULL,
    hostname              TEXT NOT NULL,
    created_at            BIGINT NOT NULL,
    expires_at            BIGINT NOT NULL,
    over_at               BIGINT NOT NULL, -- when it ended, else expires_at
    active                BOOLEAN NOT NULL,
    agent_key_fingerprint TEXT NOT NULL,
    agent_public_key      TEXT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, id);
CREATE INDEX sessions_over ON sessions (over_at);

CREATE TABLE hwkeys (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    serial             TEXT NOT NULL,
    serial_key         TEXT NOT NULL UNIQUE,
    label              TEXT NOT NULL,
    label_key          TEXT NOT NULL,
    model              TEXT NOT NULL,
    firmware_version   TEXT NOT NULL,
    form_factor        TEXT NOT NULL,
    status             TEXT NOT NULL,
    owner_id           BIGINT REFERENCES users (id),
    organization_id    BIGINT REFERENCES organizations (id),
    registered_at      BIGINT NOT NULL,
    enrolled_at        BIGINT,
    last_seen_at       BIGINT,
    secrets_version    BIGINT NOT NULL,
    rotation_pending   BOOLEAN NOT NULL,
    secrets_changed_at BIGINT
);
CREATE INDEX hwkeys_organization ON hwkeys (organization_id, id);
CREATE INDEX hwkeys_organization_status ON hwkeys (organization_id, status, id);
CREATE INDEX hwkeys_owner ON hwkeys (owner_id, id);
CREATE INDEX hwkeys_status ON hwkeys (status, id);
CREATE INDEX hwkeys_rotation_pending ON hwkeys (id) WHERE rotation_pending = TRUE;

CREATE TABLE certificates (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    serial_number     TEXT NOT NULL UNIQUE,
    hwkey_id          BIGINT NOT NULL REFERENCES hwkeys (id),
    owner_id          BIGINT REFERENCES users (id),
    organization_id   BIGINT REFERENCES organizations (id),
    slot              TEXT NOT NULL,
    status            TEXT NOT NULL,
    not_before        BIGINT NOT NULL,
    not_after         BIGINT NOT NULL,
    revoked_at        BIGINT,
    revocation_reason TEXT NOT NULL,
    published_at      BIGINT,
    installed_at      BIGINT,
    -- Token, slot and CSR of a certificate that is not revoked; NULL
    -- otherwise, and in an expired one that stood in the way of its successor.
    live_key          TEXT UNIQUE,
    csr_sha256        TEXT NOT NULL,
    subject           TEXT NOT NULL,
    common_name       TEXT NOT NULL,
    common_name_key   TEXT NOT NULL,
    sans              TEXT NOT NULL, -- JSON array of {type, value}
    issuer            TEXT NOT NULL,
    key_algorithm     TEXT NOT NULL,
    public_key_sha256 TEXT NOT NULL,
    issued_by         TEXT NOT NULL,
    attested          BOOLEAN NOT NULL,
    der               TEXT NOT NULL -- base64
);
CREATE INDEX certificates_hwkey ON certificates (hwkey_id, id);
CREATE INDEX certificates_owner ON certificates (owner_id, id);
CREATE INDEX certificates_organization ON certificates (organization_id, id);
CREATE INDEX certificates_not_after ON certificates (not_after, id);
CREATE INDEX certificates_revoked ON certificates (id) WHERE status = 'revoked';
CREATE INDEX certificates_organization_revoked ON certificates (organization_id, id) WHERE status = 'revoked';
CREATE INDEX certificates_unpublished ON certificates (revoked_at, id) WHERE status = 'revoked' AND published_at IS NULL;

-- No foreign keys: an entry is a fact of its day and stands by itself.
CREATE TABLE audit_entries (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    at              BIGINT NOT NULL,
    action          TEXT NOT NULL,
    outcome         TEXT NOT NULL,
    actor_id        BIGINT,
    actor           TEXT NOT NULL,
    actor_key       TEXT NOT NULL,
    organization_id BIGINT,
    target_type     TEXT NOT NULL,
    target_id       TEXT NOT NULL,
    target_key      TEXT NOT NULL,
    hostname        TEXT NOT NULL,
    ip_address      TEXT NOT NULL,
    request_id      TEXT NOT NULL,
    details         TEXT NOT NULL,
    file_name       TEXT NOT NULL,
    backup_type     TEXT NOT NULL,
    duration_ms     BIGINT,
    size_bytes      BIGINT
);
CREATE INDEX audit_entries_organization ON audit_entries (organization_id, id);
CREATE INDEX audit_entries_actor_id ON audit_entries (actor_id, id);
CREATE INDEX audit_entries_actor ON audit_entries (actor_key, id);
CREATE INDEX audit_entries_target ON audit_entries (target_key, id);
CREATE INDEX audit_entries_action ON audit_entries (action, id);
CREATE INDEX audit_entries_organization_action ON audit_entries (organization_id, action, id);
CREATE INDEX audit_entries_not_success ON audit_entries (id) WHERE outcome <> 'success';
CREATE INDEX audit_entries_organization_not_success ON audit_entries (organization_id, id) WHERE outcome <> 'success';

-- +goose Down
DROP TABLE audit_entries;
DROP TABLE certificates;
DROP TABLE hwkeys;
DROP TABLE sessions;
DROP TABLE refresh_tokens;
DROP TABLE refresh_families;
DROP TABLE logins;
DROP TABLE users;
DROP TABLE organizations;
