-- name: InsertCertificate :one
INSERT INTO certificates (serial_number, hwkey_id, owner_id, organization_id, slot, status, not_before, not_after,
    revoked_at, revocation_reason, published_at, installed_at, live_key, csr_sha256, subject, common_name,
    common_name_key, sans, issuer, key_algorithm, public_key_sha256, issued_by, attestation, der, profile)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: ReleaseLiveKey :execrows
-- An expired certificate makes room for its successor, and one that is renewed.
UPDATE certificates SET live_key = NULL
WHERE live_key = sqlc.arg(live_key) AND (not_after <= sqlc.arg(now) OR serial_number = sqlc.arg(renewed));

-- name: RevokeCertificate :execrows
UPDATE certificates SET status = 'revoked', revoked_at = sqlc.arg(at), revocation_reason = sqlc.arg(reason),
    live_key = NULL
WHERE serial_number = sqlc.arg(serial_number) AND status = 'issued';

-- name: CompromiseCertificate :execrows
-- An earlier revocation for another reason keeps its time.
UPDATE certificates SET status = 'revoked', revoked_at = COALESCE(revoked_at, sqlc.arg(at)),
    revocation_reason = 'keyCompromise', published_at = NULL, live_key = NULL
WHERE serial_number = sqlc.arg(serial_number) AND revocation_reason <> 'keyCompromise';

-- name: CompromiseLastOfHWKey :many
-- The keys that a lost token still holds: each slot's last certificate, while
-- the token has its owner.
UPDATE certificates SET status = 'revoked', revoked_at = COALESCE(revoked_at, sqlc.arg(at)),
    revocation_reason = 'keyCompromise', published_at = NULL, live_key = NULL
WHERE certificates.hwkey_id = sqlc.arg(hwkey_id) AND certificates.owner_id = sqlc.arg(owner_id)
    AND certificates.revocation_reason <> 'keyCompromise'
    AND certificates.id IN (SELECT MAX(c.id) FROM certificates AS c WHERE c.hwkey_id = sqlc.arg(hwkey_id) GROUP BY c.slot)
RETURNING serial_number, public_key_sha256;

-- name: RevokeLiveOfKey :many
UPDATE certificates SET status = 'revoked', revoked_at = sqlc.arg(at), revocation_reason = 'keyCompromise',
    live_key = NULL
WHERE public_key_sha256 = sqlc.arg(public_key_sha256) AND status = 'issued' AND not_after > sqlc.arg(at)
RETURNING serial_number, organization_id;

-- name: RevokeLiveOfHWKey :many
UPDATE certificates SET status = 'revoked', revoked_at = sqlc.arg(at), revocation_reason = sqlc.arg(reason),
    live_key = NULL
WHERE hwkey_id = sqlc.arg(hwkey_id) AND status = 'issued' AND not_after > sqlc.arg(at)
RETURNING serial_number, public_key_sha256;

-- name: RevokeEarlierInSlot :many
UPDATE certificates SET status = 'revoked', revoked_at = sqlc.arg(at), revocation_reason = sqlc.arg(reason),
    live_key = NULL
WHERE hwkey_id = sqlc.arg(hwkey_id) AND slot = sqlc.arg(slot) AND id < sqlc.arg(before)
    AND status = 'issued' AND not_after > sqlc.arg(at)
RETURNING id, serial_number;

-- name: InstallCertificate :one
UPDATE certificates SET installed_at = sqlc.arg(at)
WHERE serial_number = sqlc.arg(serial_number) AND status = 'issued' AND installed_at IS NULL
RETURNING id, hwkey_id, slot;

-- name: UnpublishedRevocations :many
SELECT serial_number, revoked_at, revocation_reason, not_after, der FROM certificates
WHERE status = 'revoked' AND published_at IS NULL
ORDER BY revoked_at, id LIMIT sqlc.arg(max_rows) OFFSET sqlc.arg(skipped);

-- name: KnownOfCSR :one
-- Whether its key was compromised, and whether it was signed for a token and slot; the
-- certificate may have ended.
SELECT CAST(EXISTS (SELECT 1 FROM certificates AS k
        WHERE k.public_key_sha256 = sqlc.arg(public_key_sha256) AND k.revocation_reason = 'keyCompromise')
    OR EXISTS (SELECT 1 FROM unrecorded_revocations AS r
        WHERE r.public_key_sha256 = sqlc.arg(public_key_sha256) AND r.revocation_reason = 'keyCompromise') AS BOOLEAN) AS compromised,
    EXISTS (SELECT 1 FROM certificates AS c WHERE c.live_key = sqlc.arg(live_key)) AS signed;

-- name: PublishedUnrecorded :many
SELECT serial_number, revoked_at, revocation_reason, not_after, der FROM unrecorded_revocations
WHERE published_at IS NOT NULL AND (not_after = 0 OR not_after > sqlc.arg(ends));

-- name: PublishedRevocations :many
SELECT id, serial_number FROM certificates
WHERE status = 'revoked' AND published_at IS NOT NULL AND not_after > sqlc.arg(ends) AND id > sqlc.arg(after)
ORDER BY id LIMIT sqlc.arg(max_rows);

-- name: KeyCompromised :one
SELECT CAST(EXISTS (SELECT 1 FROM certificates AS c
    WHERE c.public_key_sha256 = sqlc.arg(public_key_sha256) AND c.revocation_reason = 'keyCompromise')
    OR EXISTS (SELECT 1 FROM unrecorded_revocations AS r
    WHERE r.public_key_sha256 = sqlc.arg(public_key_sha256) AND r.revocation_reason = 'keyCompromise') AS BOOLEAN);

-- name: RevokeUnrecorded :one
-- As keyCompromise it takes the place of another reason, and the time stays. The key
-- may be known of before; where it was not, it is taken down.
INSERT INTO unrecorded_revocations (serial_number, revoked_at, revocation_reason, not_after, public_key_sha256, der)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (serial_number) DO UPDATE SET revocation_reason = excluded.revocation_reason, published_at = NULL,
    public_key_sha256 = COALESCE(NULLIF(excluded.public_key_sha256, ''), unrecorded_revocations.public_key_sha256),
    der = COALESCE(NULLIF(excluded.der, ''), unrecorded_revocations.der),
    not_after = COALESCE(NULLIF(excluded.not_after, 0), unrecorded_revocations.not_after)
WHERE excluded.revocation_reason = 'keyCompromise' AND (unrecorded_revocations.revocation_reason <> 'keyCompromise'
    OR unrecorded_revocations.public_key_sha256 = '' AND excluded.public_key_sha256 <> '')
RETURNING public_key_sha256;

-- name: UnpublishedUnrecorded :many
SELECT serial_number, revoked_at, revocation_reason, not_after, der FROM unrecorded_revocations
WHERE published_at IS NULL
ORDER BY revoked_at, id LIMIT sqlc.arg(max_rows) OFFSET sqlc.arg(skipped);

-- name: ProfileAlive :one
-- Whether a certificate of the profile has not ended, a revoked one too.
SELECT CAST(EXISTS (SELECT 1 FROM certificates AS c WHERE c.profile = sqlc.arg(profile) AND c.not_after > sqlc.arg(now)) AS BOOLEAN);

-- name: LiveByIssuer :many
-- A revoked certificate stays on the list until it has ended.
SELECT issuer, CAST(sum(CASE WHEN status = 'issued' THEN 1 ELSE 0 END) AS BIGINT) AS live, CAST(max(not_after) AS BIGINT) AS last
FROM certificates WHERE not_after > $1 GROUP BY issuer;
