-- name: InsertBackupJob :one
-- No row: another one is active, or the schedule's moment has its job.
INSERT INTO backup_jobs (kind, type, status, active, phase, percent, outcome, error_message, actor, scheduled, due_at, key,
    size_bytes, warnings, details, sentences, runner, cancel, created_at, started_at, finished_at, heartbeat_at)
VALUES ($1, $2, $3, $4, '', 0, '', $5, $6, $7, $8, $9, 0, '[]', '', $10, $11, FALSE, $12, NULL, $13, $12)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: BeginBackupJob :execrows
UPDATE backup_jobs SET status = 'Running', started_at = COALESCE(started_at, sqlc.arg(at)), heartbeat_at = sqlc.arg(at)
WHERE id = sqlc.arg(id) AND runner = sqlc.arg(runner) AND active = 1;

-- name: BeatBackupJob :one
UPDATE backup_jobs SET phase = sqlc.arg(phase), percent = sqlc.arg(percent), phase_done = sqlc.arg(phase_done),
    phase_total = sqlc.arg(phase_total), phase_unit = sqlc.arg(phase_unit), heartbeat_at = sqlc.arg(at)
WHERE id = sqlc.arg(id) AND runner = sqlc.arg(runner) AND active = 1
RETURNING cancel;

-- name: CancelBackupJob :execrows
UPDATE backup_jobs SET cancel = TRUE WHERE id = $1 AND active = 1 AND cancel = FALSE;

-- name: EndBackupJob :execrows
-- By the one who works on it.
UPDATE backup_jobs SET status = sqlc.arg(status), active = NULL, percent = sqlc.arg(percent), outcome = sqlc.arg(outcome),
    error_message = sqlc.arg(error_message), key = sqlc.arg(key), size_bytes = sqlc.arg(size_bytes),
    warnings = sqlc.arg(warnings), details = sqlc.arg(details), sentences = sqlc.arg(sentences), finished_at = sqlc.arg(at)
WHERE id = sqlc.arg(id) AND runner = sqlc.arg(runner) AND active = 1;

-- name: EndSilentBackupJob :execrows
-- By whoever has seen no heartbeat after this one.
UPDATE backup_jobs SET status = sqlc.arg(status), active = NULL, percent = sqlc.arg(percent), outcome = sqlc.arg(outcome),
    error_message = sqlc.arg(error_message), warnings = sqlc.arg(warnings), sentences = sqlc.arg(sentences), finished_at = sqlc.arg(at)
WHERE id = sqlc.arg(id) AND heartbeat_at = sqlc.arg(heartbeat_at) AND active = 1;

-- name: LatestDueBackupJob :one
SELECT CAST(COALESCE(max(due_at), 0) AS BIGINT) FROM backup_jobs WHERE kind = sqlc.arg(kind) AND due_at <= sqlc.arg(until);
