-- name: InsertSession :one
INSERT INTO sessions (user_id, family_id, token_hash, ip_address, user_agent, machine_id, hostname, created_at,
    expires_at, over_at, active, agent_key_fingerprint, agent_public_key, authenticated_at, auth_method)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
RETURNING id;

-- name: SetSessionFamily :exec
UPDATE sessions SET family_id = sqlc.arg(family_id) WHERE id = sqlc.arg(id);

-- name: EndSession :one
UPDATE sessions SET active = FALSE, agent_public_key = '', agent_key_fingerprint = '', agent_key_mac = '',
    over_at = CASE WHEN over_at < sqlc.arg(at) THEN over_at ELSE sqlc.arg(at) END
WHERE id = sqlc.arg(id) AND active = TRUE
RETURNING family_id;

-- name: RegisterAgent :execrows
UPDATE sessions SET agent_public_key = sqlc.arg(public_key), agent_key_fingerprint = sqlc.arg(fingerprint),
    agent_key_mac = sqlc.arg(mac), hostname = sqlc.arg(hostname)
WHERE id = sqlc.arg(id) AND active = TRUE AND expires_at > sqlc.arg(at);

-- name: DeleteSessionsOverBefore :execrows
DELETE FROM sessions WHERE id IN (
    SELECT s.id FROM sessions AS s WHERE s.over_at < sqlc.arg(before) AND NOT EXISTS (
        -- Its refresh family goes on: whoever wants to end that finds it here.
        SELECT 1 FROM refresh_families AS f WHERE f.id = s.family_id AND f.session_id = s.id
            AND f.revoked_at IS NULL AND f.expires_at >= sqlc.arg(before))
    ORDER BY s.over_at LIMIT sqlc.arg(max_rows));

-- name: InsertFamily :one
INSERT INTO refresh_families (user_id, session_id, created_at, expires_at, user_agent)
VALUES ($1, $2, $3, $4, $5)
RETURNING id;

-- name: LockFamilyOfToken :one
-- An update that changes nothing: on PostgreSQL it takes the row's lock, so
-- that what is read after it stays true until the commit.
UPDATE refresh_families SET expires_at = expires_at
WHERE id = (SELECT t.family_id FROM refresh_tokens AS t WHERE t.hash = $1)
RETURNING id, user_id, session_id, created_at, expires_at, revoked_at, user_agent;

-- name: RevokeFamily :exec
UPDATE refresh_families SET revoked_at = sqlc.arg(at) WHERE id = sqlc.arg(id) AND revoked_at IS NULL;

-- name: RevokeFamiliesOfUser :exec
UPDATE refresh_families SET revoked_at = sqlc.arg(at) WHERE user_id = sqlc.arg(user_id) AND revoked_at IS NULL;

-- name: SetFamilySession :exec
UPDATE refresh_families SET session_id = sqlc.arg(session_id) WHERE id = sqlc.arg(id);

-- name: DeleteFamiliesExpiredBefore :execrows
DELETE FROM refresh_families WHERE id IN (
    SELECT f.id FROM refresh_families AS f WHERE f.expires_at < sqlc.arg(before)
    ORDER BY f.expires_at LIMIT sqlc.arg(max_rows));

-- name: InsertRefreshToken :one
INSERT INTO refresh_tokens (family_id, hash, created_at, dead) VALUES ($1, $2, $3, FALSE) RETURNING id;

-- name: RefreshTokenByHash :one
SELECT id, family_id, hash, created_at, used_at, successor_id, dead FROM refresh_tokens WHERE hash = $1;

-- name: RefreshTokenByID :one
SELECT id, family_id, hash, created_at, used_at, successor_id, dead FROM refresh_tokens WHERE id = $1;

-- name: SucceedRefreshToken :exec
UPDATE refresh_tokens SET used_at = COALESCE(used_at, sqlc.arg(at)), successor_id = sqlc.arg(successor_id)
WHERE id = sqlc.arg(id);

-- name: KillRefreshToken :exec
UPDATE refresh_tokens SET dead = TRUE WHERE id = $1;

-- name: Authenticate :one
-- Without the password hash: nobody needs it to check a request, and every
-- column has its price here.
SELECT s.id, s.user_id, s.family_id, s.token_hash, s.ip_address, s.user_agent, s.machine_id, s.hostname, s.created_at,
    s.expires_at, s.active, s.agent_key_fingerprint, s.agent_public_key, s.authenticated_at, s.auth_method, u.username,
    u.name AS user_name, u.email, u.role, u.organization_id, u.is_active, u.must_change_password, u.auth_source, u.created_at AS user_created_at,
    u.updated_at, u.password_changed_at, u.last_login_at, u.locked_until, u.language, u.mail_failed_at, u.mail_error,
    COALESCE(o.name, '') AS organization,
    COALESCE(o.is_active, TRUE) AS organization_active
FROM sessions AS s JOIN users AS u ON u.id = s.user_id LEFT JOIN organizations AS o ON o.id = u.organization_id
WHERE s.id = $1;
