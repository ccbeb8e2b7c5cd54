// Package attestation verifies what a YubiKey says of one of its PIV keys: "I
// made it, in this slot, with these policies" (Yubico, "PIV attestation").
//
//	slot attestation ◀── F9, the token's own CA ◀── a pinned CA
//
// The token gives the first two; the third is ours. Three things are decided
// otherwise than a general X.509 verification would:
//
//   - F9 must be issued by a pinned CA directly. Tokens of firmware 4.3 to 5.2 may have
//     an F9 without basicConstraints, so these cannot be demanded of it; and
//     whoever merely ignores them along a whole path also accepts an
//     "attestation" that an ordinary slot key has signed, whose own genuine
//     attestation poses as F9.
//   - Only the F9 that came with the leaf counts. F9 is shared by a production
//     batch, and nearly all of them have the same name.
//   - Times of validity say nothing: they are those of the batch.
//
// An attestation holds no challenge: it can be shown again by anybody. It
// proves something about a key alone, so it is compared with the key whose
// possession a CSR proves.
//
// The CAs and their sources: yubico/README.md. Real chains to test against:
// testdata/chains/README.md.
package attestation
