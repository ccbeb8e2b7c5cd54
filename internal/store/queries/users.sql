-- name: InsertUser :one
INSERT INTO users (username, username_key, email, email_key, password_hash, role, organization_id, is_active,
    must_change_password, auth_source, created_at, updated_at, password_changed_at, last_login_at, locked_until,
    name, name_key, upn, sid)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
RETURNING id;

-- name: CountUsers :one
SELECT count(*) FROM users;

-- name: UserExists :one
SELECT count(*) FROM users WHERE id = $1;

-- name: SetPassword :execrows
UPDATE users SET password_hash = sqlc.arg(password_hash), must_change_password = FALSE,
    password_changed_at = sqlc.arg(at), updated_at = sqlc.arg(at)
WHERE id = sqlc.arg(id) AND password_changed_at = sqlc.arg(was);

-- name: ReplaceHash :execrows
UPDATE users SET password_hash = sqlc.arg(hash) WHERE id = sqlc.arg(id) AND password_hash = sqlc.arg(old);

-- name: SetLastLogin :one
-- Takes the row's lock on PostgreSQL; answers whether the account is active.
UPDATE users SET last_login_at = sqlc.arg(at) WHERE id = sqlc.arg(id)
RETURNING is_active, organization_id, password_changed_at;
