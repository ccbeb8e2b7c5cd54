-- name: CRLMark :one
SELECT carried FROM crl_mark WHERE id = 1;

-- name: MoveCRLMark :exec
UPDATE crl_mark SET carried = carried + 1 WHERE id = 1;

-- name: KeepCRL :exec
INSERT INTO crl_copies (ca, number, fetched_at, der, chain) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (ca) DO UPDATE SET number = EXCLUDED.number, fetched_at = EXCLUDED.fetched_at, der = EXCLUDED.der, chain = EXCLUDED.chain
WHERE EXCLUDED.number > crl_copies.number OR (EXCLUDED.number = crl_copies.number AND EXCLUDED.fetched_at > crl_copies.fetched_at);

-- name: LastCRL :one
SELECT number, fetched_at, der, chain FROM crl_copies ORDER BY fetched_at DESC LIMIT 1;
