-- name: PutInvitation :exec
INSERT INTO invitations (user_id, token_hash, expires_at) VALUES ($1, $2, $3)
ON CONFLICT (user_id) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at;

-- name: InvitationByHash :one
SELECT user_id, expires_at FROM invitations WHERE token_hash = $1;

-- name: UseInvitation :one
DELETE FROM invitations WHERE token_hash = sqlc.arg(token_hash) AND expires_at > sqlc.arg(at) RETURNING user_id;

-- name: SetFirstPassword :execrows
UPDATE users SET password_hash = sqlc.arg(password_hash), must_change_password = FALSE,
    password_changed_at = sqlc.arg(at), updated_at = sqlc.arg(at)
WHERE users.id = sqlc.arg(id) AND password_hash = '' AND auth_source = 'local' AND users.is_active = TRUE
    AND NOT EXISTS (SELECT 1 FROM organizations AS o WHERE o.id = users.organization_id AND o.is_active = FALSE);

-- name: DeleteInvitation :exec
DELETE FROM invitations WHERE user_id = $1;
