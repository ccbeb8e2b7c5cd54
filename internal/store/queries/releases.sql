-- name: LockReleaseLimit :one
-- Makes the person's row if there is none. On PostgreSQL it takes the row's
-- lock, so that two releases of one person are counted one after the other.
INSERT INTO release_limits (actor_id, told_at) VALUES ($1, 0)
ON CONFLICT (actor_id) DO UPDATE SET told_at = release_limits.told_at
RETURNING told_at;

-- name: SetReleaseLimitTold :exec
UPDATE release_limits SET told_at = sqlc.arg(at) WHERE actor_id = sqlc.arg(actor_id);

-- name: DeleteOldReleaseWindows :exec
DELETE FROM release_windows WHERE actor_id = sqlc.arg(actor_id) AND at <= sqlc.arg(until);

-- name: ReleaseWindows :many
SELECT hwkey_id, at FROM release_windows WHERE actor_id = $1 ORDER BY at, hwkey_id;

-- name: PutReleaseWindow :exec
INSERT INTO release_windows (actor_id, hwkey_id, at) VALUES ($1, $2, $3)
ON CONFLICT (actor_id, hwkey_id) DO UPDATE SET at = excluded.at;
