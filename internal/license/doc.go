// Package license evaluates how an installation is licensed, and keeps the facts for
// that in the vault. It knows nothing of HTTP and the database.
//
// The vendor signs a license for one installation ID (Ed25519 over canonical JSON, RFC
// 8785) and sends it as a file; Parse reads it, and the built-in Keys verify it.
// Evaluate derives the status from the stored license, the trial and the time:
//
//	no license ─▶ TRIAL, 30 days ─▶ EXPIRED
//	stored     ─▶ VALID ─▶ EXPIRING, the last 7 days ─▶ EXPIRED
//	              INVALID if its signature or installation ID does not match
//	removed    ─▶ MISSING, or TRIAL while that still runs
//
// The time is never before the latest one ever noted, from which it continues (Present):
// setting the clock back lengthens nothing while the program runs.
package license
