-- name: InsertAudit :one
INSERT INTO audit_entries (at, action, outcome, actor_id, actor, actor_key, organization_id, target_type, target_id,
    target_key, hostname, ip_address, request_id, reason, details, file_name, backup_type, duration_ms, size_bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
RETURNING id;

-- name: NoteAudit :exec
-- The same for an entry whose id nobody wants to know: it need not be waited for.
INSERT INTO audit_entries (at, action, outcome, actor_id, actor, actor_key, organization_id, target_type, target_id,
    target_key, hostname, ip_address, request_id, reason, details, file_name, backup_type, duration_ms, size_bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19);

-- name: AuditActions :many
-- The distinct actions of a prefix, by one seek each (a loose index scan).
WITH RECURSIVE a (action) AS (
    SELECT min(e.action) FROM audit_entries AS e WHERE e.action >= sqlc.arg(low) AND e.action < sqlc.arg(high)
    UNION ALL
    SELECT (SELECT min(n.action) FROM audit_entries AS n WHERE n.action > a.action AND n.action < sqlc.arg(high))
    FROM a WHERE a.action IS NOT NULL
)
SELECT CAST(a.action AS TEXT) AS action FROM a WHERE a.action IS NOT NULL;

-- name: AuditTimeAt :one
-- Of the entry, or of its neighbour below.
SELECT at FROM audit_entries WHERE id <= $1 ORDER BY id DESC LIMIT 1;

-- name: NewestAudit :one
SELECT id FROM audit_entries ORDER BY id DESC LIMIT 1;

-- name: NewestAuditUpTo :one
SELECT id FROM audit_entries WHERE id <= $1 ORDER BY id DESC LIMIT 1;

-- name: CountAuditAfter :one
SELECT count(*) FROM audit_entries WHERE id > $1;

-- name: AuditTimeAfter :one
SELECT at FROM audit_entries WHERE id > $1 ORDER BY id LIMIT 1;

-- name: InsertAuditBatch :execrows
INSERT INTO audit_batches (id, segment, first_id, last_id, entry_count, previous_hash, hash, link, leaves, sealed_at, key_id, signature)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING;

-- name: AuditAfter :many
SELECT id, at, action, outcome, actor_id, actor, organization_id, target_type, target_id, hostname, ip_address,
    request_id, reason, details, file_name, backup_type, duration_ms, size_bytes
FROM audit_entries AS e WHERE e.id > sqlc.arg(after) AND e.id <= sqlc.arg(up_to) ORDER BY e.id LIMIT sqlc.arg(max_rows);

-- name: ReleasesAfter :many
-- The verification alone asks: it reads the whole log anyway.
SELECT id FROM audit_entries
WHERE id > sqlc.arg(after) AND action IN ('hwkey.secrets_released', 'hwkey.rotation_started') AND outcome = 'success'
ORDER BY id LIMIT sqlc.arg(max_rows);

-- name: RegisteredKeys :many
SELECT details FROM audit_entries
WHERE target_key = sqlc.arg(session) AND target_type = 'session' AND action = 'session.agent_registered' AND outcome = 'success';

-- name: HandOvers :many
-- With what each token came to its owners, of the tokens that an account has or may have had: those that it had
-- certificates on, and those that were given to somebody whose name looks the same since the account exists.
WITH had (serial_key) AS (
    SELECT h.serial_key FROM hwkeys AS h WHERE h.owner_id = sqlc.arg(id)
    UNION SELECT h.serial_key FROM certificates AS c JOIN hwkeys AS h ON h.id = c.hwkey_id WHERE c.owner_id = sqlc.arg(id)
    UNION SELECT o.target_key FROM audit_entries AS o
    WHERE o.action IN ('hwkey.assigned', 'hwkey.registered', 'hwkey.imported')
        AND o.at >= (SELECT u.created_at FROM users AS u WHERE u.id = sqlc.arg(id))
        AND (o.details LIKE 'owner is now ' || (SELECT u.username FROM users AS u WHERE u.id = sqlc.arg(id)) || '%'
            OR o.details LIKE 'assigned to ' || (SELECT u.username FROM users AS u WHERE u.id = sqlc.arg(id)) || '%')
)
SELECT h.serial_key, h.owner_id, u.username, u.created_at, e.id, e.at, e.details FROM had
JOIN hwkeys AS h ON h.serial_key = had.serial_key
JOIN users AS u ON u.id = sqlc.arg(id)
JOIN audit_entries AS e ON e.target_key = had.serial_key
WHERE e.target_type = 'hwkey' AND e.action IN ('hwkey.assigned', 'hwkey.registered', 'hwkey.imported') AND e.outcome = 'success'
ORDER BY h.id, e.id;
