-- What was, or is, done with backups: making one, restoring one, trying one. No
-- foreign keys: a restore leaves this table as it is.

-- +goose Up
CREATE TABLE IF NOT EXISTS backup_jobs (
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
    UNIQUE (kind, due_at)
);
CREATE INDEX IF NOT EXISTS backup_jobs_ended ON backup_jobs (kind, status, id);
