// Package releaselog is the only way for a token's secrets to leave the server, and
// keeps the vault's own record of each release (contract, "Audit"): write access to
// the database alone is not enough to obtain a secret unseen.
//
//	write the audit entry ──▶ read it back, after the commit ──▶ log it in the vault ──▶ seal
//
// Only Log.Disclose returns a Sealer, which encrypts values for an agent, and only
// after all these steps; nothing else in the server seals. If the entry read back
// differs, nothing is released: RecoveryRequired. If the vault does not log it:
// VaultUnavailable; the database then has an extra entry, which is harmless.
//
// The log is stored beside the token's secrets, {serial}/secrets:
//
//	{serial}/releases       the open page, written by check-and-set
//	{serial}/releases/N     closed pages 1, 2, …, each a full open page
//	{serial}/releases/lost  entries missing from an older database that was accepted (Lose)
//	_releases/HOUR/…        tokens with releases in that hour, for Missing
//
// A page has the ids of audit entries in the order they were logged, 16 bytes of
// each one's hash, and a hash chained over all of the token's entries. A release
// thus costs the vault at most some 3 kB, however long the log. The entry itself
// names account, session, fields, reason and key fingerprint; Disclose adds the
// fingerprint, of the very key it seals to. docs/audit.md describes the format for
// other verifiers.
//
// Whatever the vault logged must be in the database (Check). An entry only in the
// database was interrupted before the release, or came with a restore.
package releaselog
