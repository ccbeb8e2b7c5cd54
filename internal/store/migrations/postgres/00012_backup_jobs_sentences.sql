-- What a job says, as sentences with code and params, in JSON; empty: not over, or ended
-- by a server of an earlier version. The English texts stand in error_message, warnings
-- and details, too.

-- +goose Up
ALTER TABLE backup_jobs ADD COLUMN IF NOT EXISTS sentences TEXT NOT NULL DEFAULT '';
