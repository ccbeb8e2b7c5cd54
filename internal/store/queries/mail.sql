-- name: InsertMail :exec
INSERT INTO mail_outbox (user_id, organization_id, role, address, language, kind, params, message_id, status, attempts,
    next_attempt_at, claimed_until, claims, created_at, expires_at, error, reply)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', 0, sqlc.arg(due), 0, 0,
    CAST(sqlc.arg(created_at) AS BIGINT), sqlc.arg(expires_at), '', '');

-- name: UntriedMail :many
-- A person's mails that nobody has tried to send yet.
SELECT id, kind, params, next_attempt_at FROM mail_outbox WHERE status = 'pending' AND user_id = sqlc.arg(user_id) AND attempts = 0
ORDER BY id;

-- name: RewriteMail :exec
-- One that nobody has tried to send yet says something else, or is due at another time.
UPDATE mail_outbox SET params = sqlc.arg(params), next_attempt_at = sqlc.arg(due)
WHERE id = sqlc.arg(id) AND status = 'pending' AND attempts = 0;

-- name: RemoveMail :exec
-- One that nobody has tried to send yet: another one says it.
DELETE FROM mail_outbox WHERE id = $1 AND status = 'pending' AND attempts = 0;

-- name: NotSetUp :one
-- How many tokens of a serial number are not set up.
SELECT count(*) FROM hwkeys WHERE serial_key = $1 AND enrolled_at IS NULL;

-- name: WaitingMail :one
SELECT count(*) FROM mail_outbox WHERE status = 'pending';

-- name: MailDue :many
SELECT id FROM mail_outbox WHERE status = 'pending' AND next_attempt_at <= sqlc.arg(at) AND claimed_until <= sqlc.arg(at)
    AND (CAST(sqlc.arg(kind) AS TEXT) = '' OR kind = sqlc.arg(kind))
ORDER BY next_attempt_at, id LIMIT sqlc.arg(max_rows);

-- name: LeaseMail :one
UPDATE mail_outbox SET claims = claims + 1, claimed_until = sqlc.arg(lease_until), attempts = attempts + 1
WHERE id = sqlc.arg(id) AND status = 'pending' AND claimed_until <= sqlc.arg(at)
RETURNING claims;

-- name: FinishMail :execrows
UPDATE mail_outbox SET status = sqlc.arg(status), attempts = sqlc.arg(attempts), next_attempt_at = sqlc.narg(next_attempt_at),
    error = sqlc.arg(error), reply = sqlc.arg(reply), sent_at = sqlc.narg(sent_at), ended_at = sqlc.narg(ended_at), claimed_until = 0
WHERE id = sqlc.arg(id) AND claims = sqlc.arg(claims) AND status = 'pending';

-- name: RetryMail :execrows
UPDATE mail_outbox SET status = 'pending', attempts = 0, next_attempt_at = sqlc.arg(at), claimed_until = 0, claims = claims + 1,
    expires_at = sqlc.arg(expires_at), ended_at = NULL
WHERE id = sqlc.arg(id) AND status = 'failed';

-- name: ExpireMail :execrows
UPDATE mail_outbox SET status = 'failed', next_attempt_at = NULL, ended_at = sqlc.arg(at), claimed_until = 0,
    error = CASE WHEN error = '' THEN sqlc.arg(class) ELSE error END
WHERE id IN (SELECT m.id FROM mail_outbox AS m WHERE m.status = 'pending' AND m.expires_at <= CAST(sqlc.arg(at) AS BIGINT)
    AND m.claimed_until <= CAST(sqlc.arg(at) AS BIGINT) ORDER BY m.id LIMIT sqlc.arg(max_rows));

-- name: DropMail :exec
-- What waits, but for one kind.
UPDATE mail_outbox SET status = 'dropped', next_attempt_at = NULL, ended_at = sqlc.arg(at), claimed_until = 0,
    claims = claims + 1, error = sqlc.arg(class), reply = ''
WHERE status = 'pending' AND kind <> sqlc.arg(kept);

-- name: PurgeMail :execrows
DELETE FROM mail_outbox WHERE id IN (
    SELECT m.id FROM mail_outbox AS m WHERE m.ended_at IS NOT NULL AND m.ended_at < CAST(sqlc.arg(before) AS BIGINT)
    ORDER BY m.ended_at LIMIT sqlc.arg(max_rows));

-- name: MailPerson :one
SELECT username, email, role, organization_id, is_active FROM users WHERE id = $1;

-- name: AddressWorks :exec
UPDATE users SET mail_failed_at = NULL, mail_error = ''
WHERE id = sqlc.arg(id) AND mail_failed_at IS NOT NULL AND email = sqlc.arg(address);

-- name: AddressFails :exec
UPDATE users SET mail_failed_at = COALESCE(mail_failed_at, sqlc.arg(at)), mail_error = sqlc.arg(class)
WHERE id = sqlc.arg(id) AND email = sqlc.arg(address);
