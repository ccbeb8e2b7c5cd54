-- name: ClaimLogin :execrows
-- A name that is nobody's, is one's own, or whose reservation is over.
INSERT INTO logins (login_key, user_id) VALUES (sqlc.arg(login_key), sqlc.arg(user_id))
ON CONFLICT (login_key) DO UPDATE SET user_id = EXCLUDED.user_id, reserved_until = NULL
WHERE logins.user_id = EXCLUDED.user_id OR logins.reserved_until <= sqlc.arg(now);

-- name: LoginOwner :one
SELECT user_id FROM logins WHERE login_key = $1 AND reserved_until IS NULL;

-- name: LoginReserved :one
-- Until when a name that is taken is only reserved.
SELECT reserved_until FROM logins WHERE login_key = $1;

-- name: LoginTaken :one
SELECT count(*) FROM logins WHERE login_key = sqlc.arg(login_key) AND (reserved_until IS NULL OR reserved_until > sqlc.arg(now));

-- name: FormerLogins :many
SELECT login_key FROM logins
WHERE user_id = sqlc.arg(user_id) AND reserved_until IS NULL
    AND login_key <> sqlc.arg(username_key) AND login_key <> sqlc.arg(email_key)
ORDER BY login_key;

-- name: DropLogin :exec
DELETE FROM logins WHERE login_key = $1;

-- name: ReserveLogin :exec
UPDATE logins SET reserved_until = $2 WHERE login_key = $1;

-- name: CertificatesOfOwner :many
-- Those that have not ended, revoked ones too.
SELECT serial_number, common_name, sans, status, not_after FROM certificates
WHERE owner_id = $1 AND not_after > $2
ORDER BY id;
