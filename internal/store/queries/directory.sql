-- name: ClaimDirectoryName :execrows
-- A name that is nobody's, is one's own, or whose reservation is over.
INSERT INTO directory_names (name_key, user_id) VALUES (sqlc.arg(name_key), sqlc.arg(user_id))
ON CONFLICT (name_key) DO UPDATE SET user_id = EXCLUDED.user_id, reserved_until = NULL
WHERE directory_names.user_id = EXCLUDED.user_id OR directory_names.reserved_until <= sqlc.arg(now);

-- name: DirectoryNameReserved :one
-- Until when a name that is taken is only reserved.
SELECT reserved_until FROM directory_names WHERE name_key = $1;

-- name: DropDirectoryName :exec
DELETE FROM directory_names WHERE name_key = $1;

-- name: ReserveDirectoryName :exec
UPDATE directory_names SET reserved_until = $2 WHERE name_key = $1;
