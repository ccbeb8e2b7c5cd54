// Package license says how an installation is licensed, and keeps what that follows
// from in the vault. It knows no HTTP and no database.
//
// The vendor signs a license for one installation ID (Ed25519 over canonical JSON, RFC
// 8785) and sends it as a file; Parse reads it, and Keys, which are built in, check it.
// Evaluate says from the stored license, the trial and a moment what the status is:
//
//	no license ─▶ TRIAL, 30 days ─▶ EXPIRED
//	stored     ─▶ VALID ─▶ EXPIRING, the last 7 days ─▶ EXPIRED
//	              INVALID where its signature or its installation ID does not fit
//	removed    ─▶ MISSING, but TRIAL where that still runs
//
// It is evaluated at the latest moment ever noted, from which time goes on (Present): a clock
// set back lengthens nothing while the program runs.
package license
