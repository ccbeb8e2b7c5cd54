-- Which accounts an accepted older database disabled: they are to be told from
-- those that people disabled (internal/recovery).

-- +goose Up
ALTER TABLE users ADD COLUMN IF NOT EXISTS disabled_by_recovery BOOLEAN NOT NULL DEFAULT FALSE;
