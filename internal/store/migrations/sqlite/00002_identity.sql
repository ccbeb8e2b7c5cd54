-- +goose Up

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
    read_at    BIGINT
);
CREATE INDEX notices_user ON notices (user_id, id);
CREATE INDEX notices_unread ON notices (user_id, id) WHERE read_at IS NULL;

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

-- The agent keys that a person has used before.
CREATE TABLE agent_keys (
    user_id       BIGINT NOT NULL REFERENCES users (id),
    fingerprint   TEXT NOT NULL,
    first_used_at BIGINT NOT NULL,
    last_used_at  BIGINT NOT NULL,
    PRIMARY KEY (user_id, fingerprint)
);

ALTER TABLE sessions ADD COLUMN authenticated_at BIGINT NOT NULL DEFAULT 0; -- when the person last proved who they are
ALTER TABLE sessions ADD COLUMN auth_method TEXT NOT NULL DEFAULT 'password';

-- +goose Down
ALTER TABLE sessions DROP COLUMN auth_method;
ALTER TABLE sessions DROP COLUMN authenticated_at;
DROP TABLE agent_keys;
DROP TABLE login_attempts;
DROP TABLE notices;
DROP TABLE settings;
