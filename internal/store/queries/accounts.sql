-- name: LockAccounts :exec
-- Whoever makes or changes an account or an organization does so alone: the
-- number of global admins and the fit of emails to domains depend on several
-- rows. Taken before any other lock.
UPDATE locks SET name = name WHERE name = 'accounts';

-- name: LockUser :execrows
-- Signing in takes the same lock (SetLastLogin).
UPDATE users SET updated_at = updated_at WHERE id = $1;

-- name: LockMembers :exec
UPDATE users SET updated_at = updated_at WHERE organization_id = $1;

-- name: CountOtherAdmins :one
SELECT count(*) FROM users WHERE role = 'global_admin' AND is_active = TRUE AND id <> $1;

-- name: CountTokensInUse :one
SELECT count(*) FROM hwkeys WHERE owner_id = $1 AND (status = 'assigned' OR status = 'active');

-- name: CountTokensOwned :one
SELECT count(*) FROM hwkeys WHERE owner_id = $1;

-- name: UpdateUser :exec
UPDATE users SET username = $2, username_key = $3, email = $4, email_key = $5, role = $6, organization_id = $7,
    is_active = $8, must_change_password = $9, password_hash = $10, password_changed_at = $11, updated_at = $12,
    name = $13, name_key = $14, upn = $15, sid = $16,
    disabled_by_recovery = (disabled_by_recovery AND NOT $8),
    mail_failed_at = CASE WHEN email = $4 THEN mail_failed_at ELSE NULL END,
    mail_error = CASE WHEN email = $4 THEN mail_error ELSE '' END
WHERE id = $1;

-- name: MoveTokensOfUser :many
UPDATE hwkeys SET organization_id = sqlc.arg(organization_id) WHERE owner_id = sqlc.arg(owner_id)
RETURNING id, serial;

-- name: MoveIssuedCertificates :exec
-- Whoever looks after the token must be able to revoke what is on it.
UPDATE certificates SET organization_id = sqlc.arg(organization_id)
WHERE hwkey_id = sqlc.arg(hwkey_id) AND status = 'issued';

-- name: LockTokensInUse :many
UPDATE hwkeys SET serial_key = serial_key WHERE owner_id = $1 AND (status = 'assigned' OR status = 'active')
RETURNING id, serial, status, organization_id;

-- name: SuspendToken :exec
UPDATE hwkeys SET status = 'suspended' WHERE id = $1;

-- name: EndSessionsOfUser :many
UPDATE sessions SET active = FALSE, agent_public_key = '', agent_key_fingerprint = '', agent_key_mac = '',
    over_at = CASE WHEN over_at < sqlc.arg(at) THEN over_at ELSE sqlc.arg(at) END
WHERE user_id = sqlc.arg(user_id) AND active = TRUE
RETURNING id, expires_at;

-- name: RevokeFamiliesOfOrganization :exec
UPDATE refresh_families SET revoked_at = sqlc.arg(at)
WHERE revoked_at IS NULL AND user_id IN (SELECT u.id FROM users AS u WHERE u.organization_id = sqlc.arg(organization_id));

-- name: EndSessionsOfOrganization :many
UPDATE sessions SET active = FALSE, agent_public_key = '', agent_key_fingerprint = '', agent_key_mac = '',
    over_at = CASE WHEN over_at < sqlc.arg(at) THEN over_at ELSE sqlc.arg(at) END
WHERE active = TRUE AND user_id IN (SELECT u.id FROM users AS u WHERE u.organization_id = sqlc.arg(organization_id))
RETURNING id, expires_at;

-- name: UpdateOrganization :exec
UPDATE organizations SET name = $2, name_key = $3, is_active = $4, email_domains = $5, updated_at = $6,
    upn_suffixes = $7, kerberos_realm = $8
WHERE id = $1;

-- name: OrganizationNameTaken :one
SELECT count(*) FROM organizations WHERE name_key = $1 AND id <> $2;

-- name: OrganizationDisabled :one
SELECT count(*) FROM organizations WHERE id = $1 AND is_active = FALSE;

-- name: RevokeFamilyOfSession :exec
-- A family that went on to another session has that one to end with.
UPDATE refresh_families SET revoked_at = sqlc.arg(at)
WHERE id = sqlc.arg(id) AND session_id = sqlc.arg(session_id) AND revoked_at IS NULL;
