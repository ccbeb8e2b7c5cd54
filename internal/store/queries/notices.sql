-- name: NotifyUser :exec
INSERT INTO notices (user_id, kind, message, created_at)
SELECT u.id, CAST(sqlc.arg(kind) AS TEXT), CAST(sqlc.arg(message) AS TEXT), CAST(sqlc.arg(created_at) AS BIGINT)
FROM users AS u WHERE u.id = sqlc.arg(user_id);

-- name: NotifyAdmins :exec
-- Every active global admin and, with an organization, its active managers.
INSERT INTO notices (user_id, kind, message, created_at)
SELECT u.id, CAST(sqlc.arg(kind) AS TEXT), CAST(sqlc.arg(message) AS TEXT), CAST(sqlc.arg(created_at) AS BIGINT)
FROM users AS u WHERE u.is_active = TRUE
    AND (u.role = 'global_admin' OR (u.role = 'org_manager' AND u.organization_id = sqlc.narg(organization_id)));

-- name: ReadNotice :one
UPDATE notices SET read_at = COALESCE(read_at, sqlc.arg(at)) WHERE id = sqlc.arg(id) AND user_id = sqlc.arg(user_id)
RETURNING id, user_id, kind, message, created_at, read_at;
