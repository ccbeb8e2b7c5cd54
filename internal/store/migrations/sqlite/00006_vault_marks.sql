-- How far this database knows the vault to have come (internal/recovery): a
-- vault that is behind was put back.

-- +goose Up
CREATE TABLE IF NOT EXISTS vault_marks (
    name    TEXT NOT NULL PRIMARY KEY,
    value   BIGINT NOT NULL, -- the highest that was seen
    recent  BIGINT NOT NULL, -- that of the last round, some minutes ago
    settled BIGINT NOT NULL  -- that of the round before: a vault below it is older
);
-- The counter of the token's document in the vault when it was seen last; 0 is
-- unknown.
ALTER TABLE hwkeys ADD COLUMN secrets_counter BIGINT NOT NULL DEFAULT 0;
