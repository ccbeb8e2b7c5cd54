// Package releaselog is the only door through which a token's secrets leave, and
// the vault's own record of what left by it (contract, "Audit"): whoever can
// write the database alone gets no secret unseen.
//
//	write the audit entry ──▶ read it back, after the commit ──▶ log it in the vault ──▶ seal
//
// A Sealer, which encrypts values for an agent, comes from Log.Disclose alone,
// when all of that has happened; nobody else in the server seals. When the entry
// is not there as it was meant, nothing leaves: RecoveryRequired. When the vault
// does not log it, VaultUnavailable; the database has an entry too many
// then, which is no fault.
//
// Beside a token's secrets, {serial}/secrets, stands its log:
//
//	{serial}/releases       the open page, written by check-and-set
//	{serial}/releases/N     closed pages 1, 2, …, each as the open one was when it was full
//	{serial}/releases/lost  what an older database lacked, which was accepted (Lose)
//	_releases/HOUR/…        which tokens had any in that hour, for Missing
//
// A page has the ids of audit entries in the order in which they were logged,
// 16 bytes of each one's hash, and a hash chained over all of the token's
// entries. So the vault writes some 3 kB at most for a release, however many
// there were. The entry itself names account, session, fields, reason and the
// fingerprint of the key: Disclose puts the last two there, from the very key
// that is sealed to. docs/audit.md describes all of it for other verifiers.
//
// What the vault logged must be in the database (Check). What only the
// database has was cut off before it left, or came with a restore.
package releaselog
