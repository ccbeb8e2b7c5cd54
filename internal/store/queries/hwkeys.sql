-- name: InsertHWKey :one
INSERT INTO hwkeys (serial, serial_key, label, label_key, model, firmware_version, form_factor, status, owner_id,
    organization_id, registered_at, enrolled_at, last_seen_at, secrets_version, rotation_pending, secrets_changed_at,
    secrets_released, secrets_counter)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
ON CONFLICT (serial_key) DO NOTHING
RETURNING id;

-- name: LockHWKey :one
-- An update that changes nothing: on PostgreSQL it takes the row's lock, so
-- that what it returns, and what is read after it, stays true until the commit.
UPDATE hwkeys SET serial_key = serial_key WHERE serial_key = $1
RETURNING id, serial, status, owner_id, generation;

-- name: UpdateHWKey :exec
UPDATE hwkeys SET label = $2, label_key = $3, model = $4, firmware_version = $5, form_factor = $6, status = $7,
    owner_id = $8, organization_id = $9, enrolled_at = $10, last_seen_at = $11, secrets_version = $12,
    rotation_pending = $13, secrets_changed_at = $14, generation = $15, secrets_released = $16,
    secrets_counter = $17
WHERE id = $1;

-- name: OpenRotations :one
SELECT count(*) FROM hwkeys WHERE rotation_pending = TRUE;
