-- Certificates have profiles, and accounts the names of a directory that a logon goes by.

-- +goose Up
ALTER TABLE organizations ADD COLUMN upn_suffixes TEXT NOT NULL DEFAULT '[]'; -- JSON array of strings
ALTER TABLE organizations ADD COLUMN kerberos_realm TEXT NOT NULL DEFAULT ''; -- empty: the installation's
ALTER TABLE users ADD COLUMN upn TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN sid TEXT NOT NULL DEFAULT '';
ALTER TABLE certificates ADD COLUMN profile TEXT NOT NULL DEFAULT 'default';

-- Who has a UPN or a SID, as logins has usernames and emails.
CREATE TABLE directory_names (
    name_key       TEXT NOT NULL PRIMARY KEY, -- upn: or sid:, and the folded name
    user_id        BIGINT NOT NULL REFERENCES users (id),
    reserved_until BIGINT -- given up: nobody else's until then; NULL: in use
);
CREATE INDEX directory_names_user ON directory_names (user_id);
