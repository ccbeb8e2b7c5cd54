-- Times are microseconds since 1970, UTC. Columns named *_key are folded by
-- the server (NFC, case folding), so that comparing them ignores case alike
-- on both engines. Keep in step with ../postgres: same tables, same columns.
--
-- On PostgreSQL, tables whose rows are changed in place again and again leave room
-- for that in their pages (fillfactor): an update that stays on its page adds
-- nothing to the indexes, and so fails no serializable transaction that has read
-- there.
--
-- Those before this one are of the time before the first release.

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
    locked_until         BIGINT,
    -- Accounts that an accepted older database disabled are to be told from those
    -- that people disabled (internal/recovery).
    disabled_by_recovery BOOLEAN NOT NULL DEFAULT FALSE,
    language             TEXT NOT NULL DEFAULT '', -- en or de; empty: the installation's
    mail_choices         TEXT NOT NULL DEFAULT '{}', -- JSON: kind of message to whether it comes by mail
    mail_failed_at       BIGINT, -- since when mail to the address fails for good
    mail_error           TEXT NOT NULL DEFAULT '', -- why, in a word
    name                 TEXT NOT NULL DEFAULT '', -- the person's own, beside the one to sign in with
    name_key             TEXT NOT NULL DEFAULT '' -- folded, for searching
);
CREATE INDEX users_organization ON users (organization_id, id);
CREATE INDEX users_organization_role ON users (organization_id, role, id);
CREATE INDEX users_role ON users (role, id);
CREATE INDEX users_inactive ON users (id) WHERE is_active = FALSE;
CREATE INDEX users_organization_inactive ON users (organization_id, id) WHERE is_active = FALSE;
CREATE INDEX users_locked ON users (id) WHERE locked_until IS NOT NULL;
-- What the compliance report counts, it counts in indexes alone.
CREATE INDEX users_report_active ON users (organization_id, id) WHERE is_active = TRUE;
-- For lists in the order of a name. Each ends with what the list can be narrowed to
-- besides, so that what is left out is not read. None has a time that each use of an
-- account or token changes: such updates are to add to no index.
CREATE INDEX users_username ON users (username_key, id, role);
CREATE INDEX users_organization_username ON users (organization_id, username_key, id, role);

-- Every username and every email once: what a person may sign in with names
-- one account. A user whose username is the own email has one row. A name that
-- was given up while a certificate carries it stays its former holder's.
CREATE TABLE logins (
    login_key      TEXT NOT NULL PRIMARY KEY,
    user_id        BIGINT NOT NULL REFERENCES users (id),
    reserved_until BIGINT -- given up: nobody else's until then; NULL: good to sign in with
);
CREATE INDEX logins_user ON logins (user_id);

CREATE TABLE refresh_families (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    session_id BIGINT NOT NULL, -- the present one; it may be cleaned up earlier
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    user_agent TEXT NOT NULL, -- of the sign-in
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
    agent_public_key      TEXT NOT NULL,
    authenticated_at      BIGINT NOT NULL, -- when the person last proved who they are
    auth_method           TEXT NOT NULL,
    -- What says that Keyward itself put the agent's key into this row: when, and a
    -- MAC by a key of the vault's (internal/session). Empty without an agent.
    agent_key_mac         TEXT NOT NULL DEFAULT ''
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
    secrets_changed_at BIGINT,
    -- Whether any secret of it was ever handed out.
    secrets_released   BOOLEAN NOT NULL,
    -- How often the token's certificates were all revoked at once: by loss,
    -- retirement, reset, a change of owner. Who signed after seeing an earlier
    -- number signed a key of the time before.
    generation         BIGINT NOT NULL DEFAULT 0,
    -- The counter of the token's document in the vault when it was seen last; 0 is
    -- unknown.
    secrets_counter    BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX hwkeys_organization ON hwkeys (organization_id, id);
CREATE INDEX hwkeys_organization_status ON hwkeys (organization_id, status, id);
CREATE INDEX hwkeys_owner ON hwkeys (owner_id, id);
CREATE INDEX hwkeys_status ON hwkeys (status, id);
CREATE INDEX hwkeys_rotation_pending ON hwkeys (id) WHERE rotation_pending = TRUE;
-- What the compliance report counts, it counts in indexes alone.
CREATE INDEX hwkeys_report_firmware ON hwkeys (organization_id, firmware_version);
CREATE INDEX hwkeys_report_changed ON hwkeys (organization_id, secrets_changed_at, id, status) WHERE status <> 'retired';
CREATE INDEX hwkeys_report_holders ON hwkeys (owner_id, status) WHERE status <> 'lost' AND status <> 'retired';
-- For lists in the order of a name, as of users.
CREATE INDEX hwkeys_organization_serial ON hwkeys (organization_id, serial_key, status);
CREATE INDEX hwkeys_label ON hwkeys (label_key, id, status);
CREATE INDEX hwkeys_organization_label ON hwkeys (organization_id, label_key, id, status);

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
    attestation       TEXT, -- JSON object of cert.Attestation; NULL: not attested
    der               TEXT NOT NULL, -- base64
    told_days         BIGINT -- the last milestone before its end that people were told of
);
CREATE INDEX certificates_report_proofs ON certificates (organization_id, attestation, not_after) WHERE status = 'issued';
CREATE INDEX certificates_hwkey ON certificates (hwkey_id, id);
CREATE INDEX certificates_owner ON certificates (owner_id, id);
CREATE INDEX certificates_organization ON certificates (organization_id, id);
CREATE INDEX certificates_not_after ON certificates (not_after, id);
CREATE INDEX certificates_revoked ON certificates (id) WHERE status = 'revoked';
CREATE INDEX certificates_organization_revoked ON certificates (organization_id, id) WHERE status = 'revoked';
CREATE INDEX certificates_key ON certificates (public_key_sha256);
CREATE INDEX certificates_unpublished ON certificates (revoked_at, id) WHERE status = 'revoked' AND published_at IS NULL;
CREATE INDEX certificates_organization_ends ON certificates (organization_id, not_after, id);
-- Those of one status come after the one of all: without statistics SQLite
-- takes the newest of two that would do, and these hold fewer rows.
CREATE INDEX certificates_report_ends ON certificates (organization_id, not_after, id) WHERE status = 'issued';
CREATE INDEX certificates_organization_revoked_ends ON certificates (organization_id, not_after, id) WHERE status = 'revoked';
CREATE INDEX certificates_issued_ends ON certificates (not_after, id) WHERE status = 'issued';
CREATE INDEX certificates_revoked_ends ON certificates (not_after, id) WHERE status = 'revoked';
CREATE INDEX certificates_unconfirmed_ends ON certificates (not_after, id) WHERE installed_at IS NULL;
CREATE INDEX certificates_compromised ON certificates (public_key_sha256) WHERE revocation_reason = 'keyCompromise';
-- For lists in the order of a name, as of users.
CREATE INDEX certificates_name ON certificates (common_name_key, id, status, not_after);
CREATE INDEX certificates_organization_name ON certificates (organization_id, common_name_key, id, status, not_after);

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
    reason          TEXT NOT NULL, -- as it was given
    details         TEXT NOT NULL,
    file_name       TEXT NOT NULL,
    backup_type     TEXT NOT NULL,
    duration_ms     BIGINT,
    size_bytes      BIGINT
);
-- Lists are newest first by time, and by id within one microsecond. With the
-- time in every index, a range of time far back costs what the newest costs.
CREATE INDEX audit_entries_at ON audit_entries (at, id);
CREATE INDEX audit_entries_organization ON audit_entries (organization_id, at, id);
CREATE INDEX audit_entries_actor_id ON audit_entries (actor_id, at, id);
CREATE INDEX audit_entries_actor ON audit_entries (actor_key, at, id);
CREATE INDEX audit_entries_target ON audit_entries (target_key, at, id);
CREATE INDEX audit_entries_action ON audit_entries (action, at, id);
CREATE INDEX audit_entries_organization_action ON audit_entries (organization_id, action, at, id);
CREATE INDEX audit_entries_denied ON audit_entries (at, id) WHERE outcome = 'denied';
CREATE INDEX audit_entries_failed ON audit_entries (at, id) WHERE outcome = 'failure';
CREATE INDEX audit_entries_organization_denied ON audit_entries (organization_id, at, id) WHERE outcome = 'denied';
CREATE INDEX audit_entries_organization_failed ON audit_entries (organization_id, at, id) WHERE outcome = 'failure';
-- What the compliance report counts as releases of secrets.
CREATE INDEX audit_entries_released ON audit_entries (action, at, organization_id, outcome)
    WHERE outcome = 'success' AND action IN ('hwkey.secrets_released', 'hwkey.rotation_started');
CREATE INDEX audit_entries_released_reason ON audit_entries (organization_id, reason, at, action, outcome)
    WHERE outcome = 'success' AND action IN ('hwkey.secrets_released', 'hwkey.rotation_started');

-- What an administrator sets while the server runs, and the server's own
-- bookmarks: one JSON text a name.
CREATE TABLE settings (
    name       TEXT NOT NULL PRIMARY KEY,
    value      TEXT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- Messages to people, shown until they are read.
CREATE TABLE notices (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    kind       TEXT NOT NULL,
    message    TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    read_at    BIGINT,
    params     TEXT NOT NULL DEFAULT '' -- JSON object of texts
);
CREATE INDEX notices_user ON notices (user_id, id);
CREATE INDEX notices_unread ON notices (user_id, id) WHERE read_at IS NULL;

-- One-time links that let people set their account's first password; one an
-- account at most.
CREATE TABLE invitations (
    user_id    BIGINT NOT NULL PRIMARY KEY REFERENCES users (id),
    token_hash TEXT NOT NULL UNIQUE, -- hex SHA-256
    expires_at BIGINT NOT NULL
);

-- Failed sign-ins in a row, also of names that are nobody's: an account's
-- key is its id, a name's is a keyed hash.
CREATE TABLE login_attempts (
    attempt_key  TEXT NOT NULL PRIMARY KEY,
    user_id      BIGINT REFERENCES users (id),
    failures     BIGINT NOT NULL, -- counted before the password is looked at
    held_until   BIGINT,          -- the last guess allowed is being looked at
    locked_until BIGINT,
    last_at      BIGINT NOT NULL
);
CREATE INDEX login_attempts_user ON login_attempts (user_id);
CREATE INDEX login_attempts_last ON login_attempts (last_at);

-- The agents that a person has paired, by the fingerprint of their identity,
-- or of the RSA key of an agent that showed none.
CREATE TABLE agents (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id      BIGINT NOT NULL REFERENCES users (id),
    fingerprint  TEXT NOT NULL,
    hostname     TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    UNIQUE (user_id, fingerprint)
);
CREATE INDEX agents_user ON agents (user_id, id);

-- Whoever has ever paired one. Nobody's next is a first one again because the
-- others were removed.
CREATE TABLE paired_users (
    user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id)
);

-- The RSA keys with which they were registered.
CREATE TABLE agent_keys (
    agent_id     BIGINT NOT NULL REFERENCES agents (id),
    fingerprint  TEXT NOT NULL,
    last_used_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, fingerprint)
);

-- Who a provider's subject is here. The pair is the identity; an email is
-- not (OpenID Connect Core 1.0, section 5.7).
CREATE TABLE identities (
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    user_id    BIGINT NOT NULL REFERENCES users (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_user ON identities (user_id);

-- Rounds through the provider that have begun. Hashes only: what a browser
-- holds cannot be made from a copy of this table.
CREATE TABLE oidc_states (
    state_hash     TEXT NOT NULL PRIMARY KEY,
    browser_hash   TEXT NOT NULL,
    issuer         TEXT NOT NULL,
    return_to      TEXT NOT NULL,
    reauthenticate BOOLEAN NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    used_at        BIGINT
);
CREATE INDEX oidc_states_expires ON oidc_states (expires_at);

-- One-time codes for the page that a round came back to.
CREATE TABLE oidc_codes (
    code_hash      TEXT NOT NULL PRIMARY KEY,
    browser_hash   TEXT NOT NULL,
    user_id        BIGINT NOT NULL REFERENCES users (id),
    auth_time      BIGINT NOT NULL, -- 0: the provider did not say
    reauthenticate BOOLEAN NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    used_at        BIGINT,
    family_id      BIGINT -- of refresh tokens, that its use began
);
CREATE INDEX oidc_codes_expires ON oidc_codes (expires_at);
CREATE INDEX oidc_codes_user ON oidc_codes (user_id);

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

-- One row a matter that is decided one at a time: whoever decides updates its
-- row first, which on PostgreSQL takes the row's lock until the commit. SQLite
-- has one writer anyway.
CREATE TABLE locks (
    name TEXT NOT NULL PRIMARY KEY
);
INSERT INTO locks (name) VALUES ('accounts'), ('agents');

-- How often revocations were carried to the vault: one row.
CREATE TABLE crl_mark (
    id      BIGINT NOT NULL PRIMARY KEY,
    carried BIGINT NOT NULL
);
INSERT INTO crl_mark (id, carried) VALUES (1, 0);

-- The list that was fetched last, of each CA, with the CA's chain: for a
-- server that starts while the vault is away.
CREATE TABLE crl_copies (
    ca         TEXT NOT NULL PRIMARY KEY, -- SHA-256 of the CA's certificate, hex
    number     BIGINT NOT NULL,
    fetched_at BIGINT NOT NULL,
    der        TEXT NOT NULL, -- base64
    chain      TEXT NOT NULL  -- PEM, the CA first
);

-- The oldest program that works with this database: the newest migration that
-- it knows. One row. A migration that adds leaves it alone; one that takes
-- something away says from which program on nobody needs that.
CREATE TABLE schema_compatibility (
    id     BIGINT NOT NULL PRIMARY KEY,
    oldest BIGINT NOT NULL
);
INSERT INTO schema_compatibility (id, oldest) VALUES (1, 16);

-- Revocations of certificates that no record knows.
CREATE TABLE unrecorded_revocations (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    serial_number     TEXT NOT NULL UNIQUE,
    revoked_at        BIGINT NOT NULL,
    revocation_reason TEXT NOT NULL,
    published_at      BIGINT,
    not_after         BIGINT NOT NULL, -- 0: not known
    public_key_sha256 TEXT NOT NULL, -- empty: not known
    der               TEXT NOT NULL -- base64; empty: not known
);
CREATE INDEX unrecorded_revocations_unpublished ON unrecorded_revocations (revoked_at, id) WHERE published_at IS NULL;
CREATE INDEX unrecorded_revocations_compromised ON unrecorded_revocations (public_key_sha256)
    WHERE revocation_reason = 'keyCompromise';

-- How far this database knows the vault to have come (internal/recovery): a
-- vault that is behind was put back.
CREATE TABLE vault_marks (
    name    TEXT NOT NULL PRIMARY KEY,
    value   BIGINT NOT NULL, -- the highest that was seen
    recent  BIGINT NOT NULL, -- that of the last round, some minutes ago
    settled BIGINT NOT NULL  -- that of the round before: a vault below it is older
);

-- What was, or is, done with backups: making one, restoring one, trying one. No
-- foreign keys: a restore leaves this table as it is.
CREATE TABLE backup_jobs (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    kind          TEXT NOT NULL,
    type          TEXT NOT NULL,
    status        TEXT NOT NULL,
    active        BIGINT UNIQUE,   -- 1 while it is Pending or Running, so that one is; else NULL
    phase         TEXT NOT NULL,
    percent       BIGINT NOT NULL,
    outcome       TEXT NOT NULL,   -- empty: not over, or failed for a reason that has no name
    error_message TEXT NOT NULL,
    actor         TEXT NOT NULL,   -- who asked for it, as JSON
    scheduled     BOOLEAN NOT NULL,
    due_at        BIGINT,          -- the moment of the schedule that it is for
    key           TEXT NOT NULL,   -- of the object
    size_bytes    BIGINT NOT NULL,
    warnings      TEXT NOT NULL,   -- JSON list
    details       TEXT NOT NULL,
    runner        TEXT NOT NULL,   -- who works on it, and nobody else may
    cancel        BOOLEAN NOT NULL,
    created_at    BIGINT NOT NULL,
    started_at    BIGINT,
    finished_at   BIGINT,
    heartbeat_at  BIGINT NOT NULL,
    -- How far its phase is: what it has counted, of how much (0: not known), and what
    -- that is: bytes, rows, secrets; empty: nothing.
    phase_done    BIGINT NOT NULL DEFAULT 0,
    phase_total   BIGINT NOT NULL DEFAULT 0,
    phase_unit    TEXT NOT NULL DEFAULT '',
    -- What it says, as sentences with code and params, in JSON; empty: not over. The
    -- English texts stand in error_message, warnings and details, too.
    sentences     TEXT NOT NULL DEFAULT '',
    UNIQUE (kind, due_at)
);
CREATE INDEX backup_jobs_ended ON backup_jobs (kind, status, id);

-- What people did with the license: uploads, refused ones too, and removals.
CREATE TABLE license_history (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    at        BIGINT NOT NULL,
    operation TEXT NOT NULL,
    outcome   TEXT NOT NULL,
    actor     TEXT NOT NULL,
    message   TEXT NOT NULL,
    summary   TEXT NOT NULL, -- the license, as JSON; empty without one
    -- Why an upload was refused, or that it was allowed to take a newer one's place;
    -- empty: neither.
    reason    TEXT NOT NULL DEFAULT ''
);

-- Mail to people: a row is one message to one address, written in the transaction
-- of what it tells of. message_id is the Message-ID without its brackets, the same at
-- every attempt.
CREATE TABLE mail_outbox (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id         BIGINT REFERENCES users (id),         -- whom it is for; NULL: an address alone
    organization_id BIGINT REFERENCES organizations (id), -- whose managers it is for; NULL: no organization's
    role            TEXT NOT NULL,   -- as what the person gets it; empty: as that person
    address         TEXT NOT NULL,
    language        TEXT NOT NULL,
    kind            TEXT NOT NULL,
    params          TEXT NOT NULL,   -- JSON object of texts
    message_id      TEXT NOT NULL UNIQUE,
    status          TEXT NOT NULL,   -- pending, sent, failed, dropped
    attempts        BIGINT NOT NULL,
    next_attempt_at BIGINT,          -- while it is pending
    claimed_until   BIGINT NOT NULL, -- 0: in nobody's hands
    claims          BIGINT NOT NULL, -- tells a claim from later ones
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL, -- nobody tries any more then
    sent_at         BIGINT,          -- the server took it
    ended_at        BIGINT,          -- it is pending no more
    error           TEXT NOT NULL,   -- of the last attempt, in a word
    reply           TEXT NOT NULL    -- the codes of the server's last refusal, without its words
);
CREATE INDEX mail_outbox_due ON mail_outbox (status, next_attempt_at, id);
CREATE INDEX mail_outbox_status ON mail_outbox (status, id);
CREATE INDEX mail_outbox_ended ON mail_outbox (ended_at) WHERE ended_at IS NOT NULL;
