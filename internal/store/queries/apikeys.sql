-- name: InsertKey :one
INSERT INTO api_keys (name, prefix, hash, role, organization_id, created_by, created_at, expires_at, scopes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
RETURNING id;

-- name: RevokeKey :execrows
UPDATE api_keys SET revoked_at = sqlc.arg(at) WHERE id = sqlc.arg(id) AND revoked_at IS NULL;

-- name: NoteKeyUse :exec
UPDATE api_keys SET last_used_at = sqlc.arg(at)
WHERE id = sqlc.arg(id) AND (last_used_at IS NULL OR last_used_at < sqlc.arg(at));

-- name: KeyByHash :one
SELECT k.id, k.name, k.prefix, k.hash, k.role, k.scopes, k.organization_id, k.created_by, k.created_at, k.expires_at,
    k.last_used_at, k.revoked_at, u.username AS creator, COALESCE(o.name, '') AS organization, u.is_active AS creator_active,
    u.role AS creator_role, u.organization_id AS creator_organization_id, COALESCE(o.is_active, TRUE) AS organization_active
FROM api_keys AS k JOIN users AS u ON u.id = k.created_by LEFT JOIN organizations AS o ON o.id = k.organization_id
WHERE k.hash = $1;
