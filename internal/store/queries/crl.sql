-- name: CRLMark :one
SELECT carried FROM crl_mark WHERE id = 1;

-- name: MoveCRLMark :exec
UPDATE crl_mark SET carried = carried + 1 WHERE id = 1;

-- name: KeptCRLNumber :one
SELECT number FROM crl_copies WHERE ca = $1;

-- name: KeepCRL :exec
INSERT INTO crl_copies (ca, number, fetched_at, der, chain) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (ca) DO UPDATE SET number = EXCLUDED.number, fetched_at = EXCLUDED.fetched_at, der = EXCLUDED.der, chain = EXCLUDED.chain
WHERE EXCLUDED.number > crl_copies.number;

-- name: TouchCRL :exec
UPDATE crl_copies SET fetched_at = $2 WHERE ca = $1 AND fetched_at < $2;

-- name: CRLCopies :many
SELECT number, fetched_at, der, chain FROM crl_copies ORDER BY fetched_at DESC;

-- name: NewerCRL :one
SELECT number, fetched_at, der, chain FROM crl_copies WHERE ca = $1 AND number > $2;

-- name: NewestCertificateDER :one
-- Empty: of any issuer.
SELECT der FROM certificates WHERE sqlc.arg(issuer) = '' OR issuer = sqlc.arg(issuer) ORDER BY id DESC LIMIT 1;

-- name: RevocationOf :many
-- One of them for a certificate with a record, one for a revocation without.
SELECT c.revoked_at, c.revocation_reason FROM certificates AS c WHERE c.serial_number = sqlc.arg(serial_number)
    AND c.issuer = sqlc.arg(issuer)
UNION ALL
SELECT u.revoked_at, u.revocation_reason FROM unrecorded_revocations AS u WHERE u.serial_number = sqlc.arg(serial_number);

-- name: RevocationMark :one
-- It changes with every revocation that is recorded: that adds to the unpublished ones, and publishing
-- moves the mark.
SELECT m.carried,
    (SELECT count(*) FROM certificates AS c WHERE c.status = 'revoked' AND c.published_at IS NULL)
    + (SELECT count(*) FROM unrecorded_revocations AS u WHERE u.published_at IS NULL) AS unpublished
FROM crl_mark AS m WHERE m.id = 1;
