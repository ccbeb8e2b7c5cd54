-- name: InsertOrganization :one
INSERT INTO organizations (name, name_key, is_active, email_domains, created_at, updated_at, upn_suffixes, kerberos_realm)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (name_key) DO NOTHING
RETURNING id;

-- name: OrganizationExists :one
SELECT count(*) FROM organizations WHERE id = $1;
