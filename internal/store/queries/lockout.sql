-- name: LockAttempts :one
-- Makes the row if there is none, and takes its lock on PostgreSQL.
INSERT INTO login_attempts (attempt_key, user_id, failures, last_at) VALUES ($1, $2, 0, $3)
ON CONFLICT (attempt_key) DO UPDATE SET last_at = EXCLUDED.last_at
RETURNING failures, held_until, locked_until;

-- name: SetAttempts :exec
UPDATE login_attempts SET failures = sqlc.arg(failures), held_until = sqlc.arg(held_until), locked_until = sqlc.arg(locked_until)
WHERE attempt_key = sqlc.arg(attempt_key);

-- name: ShowLock :exec
UPDATE users SET locked_until = sqlc.arg(until) WHERE id = sqlc.arg(id);

-- name: HideLock :exec
UPDATE users SET locked_until = NULL WHERE id = $1 AND locked_until IS NOT NULL;

-- name: UnlockUser :execrows
UPDATE users SET locked_until = NULL, updated_at = sqlc.arg(at) WHERE id = sqlc.arg(id);

-- name: DeleteAttempts :exec
DELETE FROM login_attempts WHERE attempt_key = $1;

-- name: DeleteAttemptsOfUser :exec
DELETE FROM login_attempts WHERE user_id = $1;

-- name: DeleteStaleAttempts :execrows
DELETE FROM login_attempts WHERE attempt_key IN (
    SELECT a.attempt_key FROM login_attempts AS a
    WHERE a.last_at < sqlc.arg(before) AND (a.locked_until IS NULL OR a.locked_until < sqlc.arg(before))
    ORDER BY a.last_at LIMIT sqlc.arg(max_rows));
