-- What says that Keyward itself put an agent's key into the session's row: when,
-- and a MAC by a key of the vault's (internal/session). Empty without an agent, and
-- where a server of an earlier version registered it.

-- +goose Up
ALTER TABLE sessions ADD COLUMN agent_key_mac TEXT NOT NULL DEFAULT '';
