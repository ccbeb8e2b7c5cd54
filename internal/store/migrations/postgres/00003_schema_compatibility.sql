-- The oldest program that works with this database: the newest migration that
-- it knows. One row. A migration that adds leaves it alone; one that takes
-- something away says from which program on nobody needs that.

-- +goose Up
CREATE TABLE schema_compatibility (
    id     BIGINT NOT NULL PRIMARY KEY,
    oldest BIGINT NOT NULL
);
INSERT INTO schema_compatibility (id, oldest) VALUES (1, 3);
