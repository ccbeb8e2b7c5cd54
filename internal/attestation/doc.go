// Package attestation verifies what a YubiKey states about one of its PIV keys:
// generated on this token, in this slot, with these policies (Yubico, "PIV attestation").
//
//	slot attestation ◀── F9, the token's own CA ◀── a pinned CA
//
// The token provides the first two; the third is ours. Three decisions differ from
// general X.509 verification:
//
//   - F9 must be issued directly by a pinned CA. Tokens with firmware 4.3 to 5.2 may
//     have an F9 without basicConstraints, so these cannot be required; and a verifier
//     that ignores them along a whole path also accepts an "attestation" signed by an
//     ordinary slot key, whose own genuine attestation poses as F9.
//   - Only the F9 that came with the leaf counts. F9 is shared by a production
//     batch, and nearly all have the same name.
//   - Validity times are ignored: they are those of the batch.
//
// An attestation has no challenge: anyone can replay it. It only proves something
// about a key, so it is compared with the key whose possession a CSR proves.
//
// The CAs and their sources: yubico/README.md. Real chains to test against:
// testdata/chains/README.md.
package attestation
