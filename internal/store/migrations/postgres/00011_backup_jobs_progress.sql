-- How far a job's phase is: what it has counted, of how much (0: not known), and
-- what that is: bytes, rows, secrets; empty: nothing, or by a server of an earlier version.

-- +goose Up
ALTER TABLE backup_jobs ADD COLUMN IF NOT EXISTS phase_done BIGINT NOT NULL DEFAULT 0;
ALTER TABLE backup_jobs ADD COLUMN IF NOT EXISTS phase_total BIGINT NOT NULL DEFAULT 0;
ALTER TABLE backup_jobs ADD COLUMN IF NOT EXISTS phase_unit TEXT NOT NULL DEFAULT '';
