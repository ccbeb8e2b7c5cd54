-- People have names of their own, beside the one that they sign in with. name_key is the
-- folded name, for searching.

-- +goose Up
ALTER TABLE users ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
