-- name: InsertState :exec
INSERT INTO oidc_states (state_hash, browser_hash, issuer, return_to, reauthenticate, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: TakeState :one
-- One statement, so that of two that come at once one alone gets it.
UPDATE oidc_states SET used_at = sqlc.arg(at)
WHERE state_hash = sqlc.arg(state_hash) AND browser_hash = sqlc.arg(browser_hash) AND used_at IS NULL AND expires_at > sqlc.arg(at)
RETURNING state_hash, browser_hash, issuer, return_to, reauthenticate, created_at, expires_at;

-- name: InsertCode :exec
INSERT INTO oidc_codes (code_hash, browser_hash, user_id, auth_time, reauthenticate, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: Code :one
SELECT code_hash, browser_hash, user_id, auth_time, reauthenticate, created_at, expires_at, used_at, family_id
FROM oidc_codes WHERE code_hash = $1;

-- name: UseCode :execrows
UPDATE oidc_codes SET used_at = sqlc.arg(at), family_id = sqlc.arg(family_id)
WHERE code_hash = sqlc.arg(code_hash) AND used_at IS NULL;

-- name: DeleteExpiredStates :execrows
DELETE FROM oidc_states WHERE state_hash IN (
    SELECT s.state_hash FROM oidc_states AS s WHERE s.expires_at < sqlc.arg(before) ORDER BY s.expires_at LIMIT sqlc.arg(max_rows));

-- name: DeleteExpiredCodes :execrows
DELETE FROM oidc_codes WHERE code_hash IN (
    SELECT c.code_hash FROM oidc_codes AS c WHERE c.expires_at < sqlc.arg(before) ORDER BY c.expires_at LIMIT sqlc.arg(max_rows));

-- name: SessionOfFamily :one
SELECT session_id FROM refresh_families WHERE id = $1;

-- name: IdentityExists :one
SELECT count(*) FROM identities WHERE issuer = $1 AND subject = $2;

-- name: InsertIdentity :exec
INSERT INTO identities (issuer, subject, user_id, created_at) VALUES ($1, $2, $3, $4);

-- name: SetAuthenticated :execrows
UPDATE sessions
SET authenticated_at = CASE WHEN authenticated_at > sqlc.arg(at) THEN authenticated_at ELSE sqlc.arg(at) END
WHERE id = sqlc.arg(id) AND active = TRUE AND expires_at > sqlc.arg(at);

-- name: IdentityOwner :one
SELECT user_id FROM identities WHERE issuer = $1 AND subject = $2;
