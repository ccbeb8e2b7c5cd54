-- Why an upload of a license was refused, or that it was allowed to take a newer one's
-- place; empty: neither, or by a server of an earlier version.

-- +goose Up
ALTER TABLE license_history ADD COLUMN reason TEXT NOT NULL DEFAULT '';
