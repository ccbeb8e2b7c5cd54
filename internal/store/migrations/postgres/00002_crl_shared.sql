-- What several servers know of one vault's CRL together.

-- +goose Up
-- How often revocations were carried to the vault: one row.
CREATE TABLE crl_mark (
    id      BIGINT NOT NULL PRIMARY KEY,
    carried BIGINT NOT NULL
);
INSERT INTO crl_mark (id, carried) VALUES (1, 0);

-- The list that was fetched last, of each CA, with the CA's chain: for a
-- server that starts while the vault is away.
CREATE TABLE crl_copies (
    ca         TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- SHA-256 of the CA's certificate, hex
    number     BIGINT NOT NULL,
    fetched_at BIGINT NOT NULL,
    der        TEXT NOT NULL, -- base64
    chain      TEXT NOT NULL  -- PEM, the CA first
);
