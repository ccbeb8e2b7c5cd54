-- +goose Up

-- One row a matter that is decided one at a time: whoever decides updates its
-- row first, which on PostgreSQL takes the row's lock until the commit. SQLite
-- has one writer anyway.
CREATE TABLE locks (
    name TEXT NOT NULL PRIMARY KEY
);
INSERT INTO locks (name) VALUES ('accounts');

-- +goose Down
DROP TABLE locks;
