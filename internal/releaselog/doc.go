// Package releaselog is the only way for a token's secrets to leave, and the vault's own
// record of what left (contract, "Audit"): whoever can only write the database gets no
// secret unnoticed.
//
//	Release.AuditEntry ──▶ written to the database ──▶ Log.Record reads it back and logs it in the vault ──▶ Sealer
//
// Only Log.Record makes a Sealer, which encrypts values for an agent; nothing else in the
// server seals. If the database doesn't have the entry as it was meant, nothing leaves:
// RecoveryRequired. If the vault can't log it, VaultUnavailable. So everything that the
// vault logged must be in the database (Check, Missing). An entry only in the database was
// interrupted before the release, or came with a restore. In the vault:
//
//	{serial}/secrets        the token's secrets (package hwkey)
//	{serial}/releases       the open page, written by check-and-set
//	{serial}/releases/N     closed pages 1, 2, …, each a full open page
//	{serial}/releases/lost  entries missing from an older database that was accepted (MarkUnaccounted)
//	_releases/HOUR/…        tokens with releases in that hour, for Missing
//
// docs/audit.md describes it for other verifiers.
package releaselog
