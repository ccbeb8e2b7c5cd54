-- People have names of their own, beside the one that they sign in with. name_key is the
-- folded name, for searching.

-- +goose Up
ALTER TABLE users ADD COLUMN IF NOT EXISTS name TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN IF NOT EXISTS name_key TEXT COLLATE "C" NOT NULL DEFAULT '';
