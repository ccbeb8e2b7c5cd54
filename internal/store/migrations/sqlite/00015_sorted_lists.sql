-- Lists in other orders than that of making. Each index ends with what the list can be
-- narrowed to besides, so that what is left out is not read. None has a time that each use
-- of a token or account changes: such updates are to add to no index (00001).

-- +goose Up
DROP INDEX IF EXISTS hwkeys_organization_serial;
CREATE INDEX hwkeys_organization_serial ON hwkeys (organization_id, serial_key, status);
DROP INDEX IF EXISTS hwkeys_label;
CREATE INDEX hwkeys_label ON hwkeys (label_key, id, status);
DROP INDEX IF EXISTS hwkeys_organization_label;
CREATE INDEX hwkeys_organization_label ON hwkeys (organization_id, label_key, id, status);
DROP INDEX IF EXISTS users_username;
CREATE INDEX users_username ON users (username_key, id, role);
DROP INDEX IF EXISTS users_organization_username;
CREATE INDEX users_organization_username ON users (organization_id, username_key, id, role);
DROP INDEX IF EXISTS certificates_name;
CREATE INDEX certificates_name ON certificates (common_name_key, id, status, not_after);
DROP INDEX IF EXISTS certificates_organization_name;
CREATE INDEX certificates_organization_name ON certificates (organization_id, common_name_key, id, status, not_after);
