-- What people did with the license: uploads, refused ones too, and removals.

-- +goose Up
CREATE TABLE IF NOT EXISTS license_history (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    at        BIGINT NOT NULL,
    operation TEXT NOT NULL,
    outcome   TEXT NOT NULL,
    actor     TEXT NOT NULL,
    message   TEXT NOT NULL,
    summary   TEXT NOT NULL    -- the license, as JSON; empty without one
);
