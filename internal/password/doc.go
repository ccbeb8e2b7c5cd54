// Package password holds what Keyward knows about passwords: the policy for new
// ones, the list of common ones, the form in which they are compared, and their
// Argon2id hashes (RFC 9106), whose memory is bounded however many people sign
// in at once.
//
//	typed ─▶ Normalize (RFC 8265) ─▶ Policy.Check ─▶ Hasher.Hash ─▶ PHC string
//	typed ─▶ Normalize ─▶ Hasher.Check against the PHC string ─▶ No | Yes | Stale
package password
