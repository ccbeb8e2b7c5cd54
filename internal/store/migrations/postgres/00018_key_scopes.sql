-- API keys may do less than their role may.

-- +goose Up
ALTER TABLE api_keys ADD COLUMN scopes TEXT NOT NULL DEFAULT '["all"]'; -- JSON array of strings
