-- name: LockAgents :exec
-- Whether an agent is a person's first depends on rows that are not there yet,
-- so one at a time is registered or removed.
UPDATE locks SET name = name WHERE name = 'agents';

-- name: AgentsOf :many
-- A person has few.
SELECT id, user_id, fingerprint, hostname, created_at, last_used_at FROM agents WHERE user_id = $1 ORDER BY id DESC;

-- name: AgentsWithKey :many
SELECT k.agent_id FROM agent_keys AS k JOIN agents AS a ON a.id = k.agent_id
WHERE a.user_id = sqlc.arg(user_id) AND k.fingerprint = sqlc.arg(fingerprint)
ORDER BY k.last_used_at DESC, k.agent_id;

-- name: PairedWithoutIdentitySince :one
SELECT EXISTS (SELECT 1 FROM agents AS a JOIN agent_keys AS k ON k.agent_id = a.id AND k.fingerprint = a.fingerprint
    WHERE a.user_id = sqlc.arg(user_id) AND a.created_at >= sqlc.arg(since));

-- name: InsertAgent :one
INSERT INTO agents (user_id, fingerprint, hostname, created_at, last_used_at) VALUES ($1, $2, $3, $4, $5) RETURNING id;

-- name: NotePaired :exec
INSERT INTO paired_users (user_id) VALUES ($1) ON CONFLICT (user_id) DO NOTHING;

-- name: CountPaired :one
-- 1 of whoever has ever paired an agent, else 0.
SELECT COUNT(*) FROM paired_users WHERE user_id = $1;

-- name: NoteAgent :exec
UPDATE agents SET hostname = sqlc.arg(hostname), last_used_at = sqlc.arg(at) WHERE id = sqlc.arg(id);

-- name: NoteAgentKey :exec
INSERT INTO agent_keys (agent_id, fingerprint, last_used_at) VALUES (sqlc.arg(agent_id), sqlc.arg(fingerprint), sqlc.arg(at))
ON CONFLICT (agent_id, fingerprint) DO UPDATE SET last_used_at = EXCLUDED.last_used_at;

-- name: DeleteStaleAgentKeys :exec
-- An agent makes one at each start. One that a live session has stays: the
-- agent's removal takes it from there.
DELETE FROM agent_keys AS k
WHERE k.last_used_at < sqlc.arg(before)
    AND k.agent_id IN (SELECT a.id FROM agents AS a WHERE a.user_id = sqlc.arg(user_id))
    AND k.fingerprint NOT IN (SELECT s.agent_key_fingerprint FROM sessions AS s
        WHERE s.user_id = sqlc.arg(user_id) AND s.active = TRUE AND s.expires_at > sqlc.arg(at));

-- name: ClearAgentFromSessions :exec
-- Every key that the agent was registered with, whoever else may have it.
UPDATE sessions SET agent_public_key = '', agent_key_fingerprint = '', agent_key_mac = ''
WHERE user_id = sqlc.arg(user_id) AND active = TRUE
    AND agent_key_fingerprint IN (SELECT k.fingerprint FROM agent_keys AS k WHERE k.agent_id = sqlc.arg(agent_id));

-- name: DeleteAgentKeys :exec
DELETE FROM agent_keys WHERE agent_id = $1;

-- name: DeleteAgent :execrows
DELETE FROM agents WHERE id = sqlc.arg(id) AND user_id = sqlc.arg(user_id);
