-- +goose Up

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

-- +goose Down
DROP TABLE oidc_codes;
DROP TABLE oidc_states;
DROP TABLE identities;
