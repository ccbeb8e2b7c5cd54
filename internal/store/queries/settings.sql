-- name: Setting :one
SELECT value, updated_at FROM settings WHERE name = $1;

-- name: PutSetting :exec
INSERT INTO settings (name, value, updated_at) VALUES ($1, $2, $3)
ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value, updated_at = EXCLUDED.updated_at;
