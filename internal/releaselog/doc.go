// Package releaselog is the only door through which a token's secrets leave, and
// the vault's own record of what left by it (contract, "Audit"): an attacker who
// can write the database alone gets no secret unseen.
//
//	Release.AuditEntry ──▶ written to the database ──▶ Log.Record reads it back and logs it in the vault ──▶ Sealer
//
// Log.Record alone makes a Sealer, which encrypts values for an agent; nothing else
// in the server seals. When the database doesn't have the entry as it was meant,
// nothing leaves: RecoveryRequired. When the vault can't log it, VaultUnavailable;
// the entry in the database is then one too many, which is no fault.
//
// The log is stored beside the token's secrets, {serial}/secrets:
//
//	{serial}/releases       the open page, written by check-and-set
//	{serial}/releases/N     closed pages 1, 2, …, each a full open page
//	{serial}/releases/lost  entries missing from an older database that was accepted (MarkUnaccounted)
//	_releases/HOUR/…        tokens with releases in that hour, for Missing
//
// A page has the ids of audit entries in the order in which they were logged,
// 16 bytes of each one's hash, and a hash chained over all of the token's
// entries. So the vault writes some 3 kB at most for a release, however many
// there were. The entry itself names account, session, fields, reason and the
// fingerprint of the key: AuditEntry puts the last two there, from the very key
// that is sealed to. docs/audit.md describes all of it for other verifiers.
//
// Whatever the vault logged must be in the database (Check). An entry only in the
// database was interrupted before the release, or came with a restore.
package releaselog
