-- name: InsertKey :one
INSERT INTO api_keys (name, prefix, hash, role, organization_id, created_by, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
RETURNING id;

-- name: RevokeKey :execrows
UPDATE api_keys SET revoked_at = sqlc.arg(at) WHERE id = sqlc.arg(id) AND revoked_at IS NULL;

-- name: NoteKeyUse :exec
UPDATE api_keys SET last_used_at = sqlc.arg(at)
WHERE id = sqlc.arg(id) AND (last_used_at IS NULL OR last_used_at < sqlc.arg(at));
