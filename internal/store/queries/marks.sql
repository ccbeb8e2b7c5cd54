-- name: VaultMarks :many
SELECT name, value, settled FROM vault_marks ORDER BY name;

-- name: RaiseVaultMark :exec
-- The first one settles at once: there is nothing that it could be held against.
INSERT INTO vault_marks (name, value, recent, settled) VALUES (sqlc.arg(name), sqlc.arg(value), sqlc.arg(value), sqlc.arg(value))
ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value WHERE EXCLUDED.value > vault_marks.value;

-- name: AgeVaultMarks :exec
UPDATE vault_marks SET settled = recent, recent = value WHERE settled <> value;

-- name: SettleVaultMarks :exec
UPDATE vault_marks SET settled = value, recent = value WHERE settled <> value;

-- name: ReplaceVaultMark :exec
INSERT INTO vault_marks (name, value, recent, settled) VALUES (sqlc.arg(name), sqlc.arg(value), sqlc.arg(value), sqlc.arg(value))
ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value, recent = EXCLUDED.recent, settled = EXCLUDED.settled;

-- name: ForgetSecretsCounters :exec
UPDATE hwkeys SET secrets_counter = 0 WHERE secrets_counter <> 0;

-- name: EndAllSessions :execrows
UPDATE sessions SET active = FALSE, agent_public_key = '', agent_key_fingerprint = '', agent_key_mac = '',
    over_at = CASE WHEN over_at < sqlc.arg(at) THEN over_at ELSE sqlc.arg(at) END
WHERE active = TRUE;

-- name: RevokeAllFamilies :exec
UPDATE refresh_families SET revoked_at = sqlc.arg(at) WHERE revoked_at IS NULL;

-- name: RevokeAllKeys :execrows
UPDATE api_keys SET revoked_at = sqlc.arg(at) WHERE revoked_at IS NULL;

-- name: DeleteAllInvitations :exec
DELETE FROM invitations;

-- name: DeleteAllStates :exec
DELETE FROM oidc_states;

-- name: DeleteAllCodes :exec
DELETE FROM oidc_codes;

-- name: DisableOthers :execrows
UPDATE users SET is_active = FALSE, disabled_by_recovery = TRUE, updated_at = sqlc.arg(at)
WHERE is_active = TRUE AND id <> sqlc.arg(spared);
