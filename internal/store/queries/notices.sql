-- name: Recipient :many
-- A person who is active, with what mail must know; none otherwise.
SELECT u.id, u.email, u.role, u.language, u.mail_choices FROM users AS u WHERE u.id = sqlc.arg(user_id) AND u.is_active = TRUE;

-- name: RecipientManagers :many
SELECT u.id, u.email, u.role, u.language, u.mail_choices FROM users AS u
WHERE u.is_active = TRUE AND u.role = 'org_manager' AND u.organization_id = sqlc.arg(organization_id) ORDER BY u.id;

-- name: RecipientAdmins :many
-- Every active global admin and, with an organization, its active managers.
SELECT u.id, u.email, u.role, u.language, u.mail_choices FROM users AS u WHERE u.is_active = TRUE
    AND (u.role = 'global_admin' OR (u.role = 'org_manager' AND u.organization_id = sqlc.narg(organization_id))) ORDER BY u.id;

-- name: InsertNotice :exec
INSERT INTO notices (user_id, kind, message, created_at, params) VALUES ($1, $2, $3, $4, $5);

-- name: ReadNotice :one
UPDATE notices SET read_at = COALESCE(read_at, sqlc.arg(at)) WHERE id = sqlc.arg(id) AND user_id = sqlc.arg(user_id)
RETURNING id, user_id, kind, message, created_at, read_at, params;

-- name: ToldSince :many
-- What a person was told of a kind since then; the newest, as many as one message could be compared with.
SELECT n.params FROM notices AS n WHERE n.user_id = sqlc.arg(user_id) AND n.kind = sqlc.arg(kind) AND n.created_at > sqlc.arg(since)
ORDER BY n.id DESC LIMIT 100;

-- name: Preferences :one
SELECT u.email, u.language, u.mail_choices, u.mail_failed_at, u.mail_error FROM users AS u WHERE u.id = sqlc.arg(id);

-- name: SetPreferences :exec
UPDATE users SET language = sqlc.arg(language), mail_choices = sqlc.arg(mail_choices) WHERE id = sqlc.arg(id);

-- name: OwnedSince :one
-- The entry with which a token came to its present owner.
SELECT e.id FROM audit_entries AS e WHERE e.target_key = sqlc.arg(target_key) AND e.target_type = 'hwkey'
    AND e.action IN ('hwkey.assigned', 'hwkey.registered', 'hwkey.imported') AND e.outcome = 'success'
ORDER BY e.at DESC, e.id DESC LIMIT 1;

-- name: CertificatesOfToken :many
-- The newest ones; of a former owner's none.
SELECT c.serial_number FROM certificates AS c WHERE c.hwkey_id = sqlc.arg(hwkey_id)
    AND (CAST(sqlc.narg(owner_id) AS BIGINT) IS NULL OR c.owner_id = sqlc.narg(owner_id)) ORDER BY c.id DESC LIMIT 200;

-- name: MarkTold :execrows
UPDATE certificates SET told_days = sqlc.arg(days) WHERE id = sqlc.arg(id) AND (told_days IS NULL OR told_days > sqlc.arg(days));

-- name: Managing :many
-- Who manages something, with what they chose.
SELECT u.role, u.organization_id, u.mail_choices FROM users AS u
WHERE u.is_active = TRUE AND u.role IN ('global_admin', 'org_manager') ORDER BY u.id;
