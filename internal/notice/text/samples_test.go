package text_test

import "github.com/keyward/keyward/internal/notice"

// sample is a message with every value that its text may need.
type sample struct {
	kind   notice.Kind
	params notice.Params
}

// samples cover every kind, in each of its forms.
var samples = []sample{
	{notice.AgentPaired, notice.Params{"code": "7KQM-2XHP", "ip": "192.0.2.7"}},
	{notice.AgentReplaced, notice.Params{"ip": "192.0.2.7"}},
	{notice.AccountLocked, notice.Params{"until": "2026-07-01T12:15:00Z", "attempts": "5", "ip": "192.0.2.7"}},
	{notice.PasswordChanged, notice.Params{"ip": "192.0.2.7"}},
	{notice.PasswordReset, notice.Params{"by": "helpdesk"}},
	{notice.EmailChanged, notice.Params{"by": "helpdesk", "former": "alex@example.org"}},
	{notice.Invitation, notice.Params{"by": "helpdesk", "organization": "Northwind", "expires_at": "2026-12-04T08:05:00Z"}},
	{notice.Invitation, notice.Params{"by": "admin", "expires_at": "2026-12-04T08:05:00Z"}},

	{notice.TokenAssigned, notice.Params{"by": "helpdesk", "serial": "20260101", "label": "Spare key"}},
	{notice.TokenTaken, notice.Params{"by": "helpdesk", "serial": "20260101"}},
	{notice.TokenStatus, notice.Params{"by": "helpdesk", "serial": "20260101", "status": "suspended"}},
	{notice.TokenStatus, notice.Params{"serial": "20260101", "status": "suspended"}},
	{notice.TokenStatus, notice.Params{"by": "helpdesk", "serial": "20260101", "status": "lost"}},
	{notice.TokenStatus, notice.Params{"by": "helpdesk", "serial": "20260101", "status": "retired"}},
	{notice.TokenStatus, notice.Params{"by": "helpdesk", "serial": "20260101", "status": "active"}},
	{notice.TokenReset, notice.Params{"by": "helpdesk", "serial": "20260101", "reason": "ticket 4711"}},
	{notice.TokenUnblocked, notice.Params{"by": "helpdesk", "serial": "20260101", "reason": "ticket 4711"}},
	{notice.SecretsReleased, notice.Params{"by": "helpdesk", "serial": "20260101", "fields": "management_key,puk,pin",
		"reason": "ticket 4711"}},
	{notice.SecretsReleased, notice.Params{"by": "helpdesk", "serial": "20260101", "fields": "management_key"}},

	{notice.CertificateIssued, notice.Params{"by": "helpdesk", "serial": "20260101", "slot": "9a", "certificate": "0a1b2c",
		"attested": "true", "reason": "ticket 4711"}},
	{notice.CertificateIssued, notice.Params{"by": "helpdesk", "serial": "20260101", "slot": "9c", "attested": "false"}},
	{notice.CertificateRevoked, notice.Params{"by": "helpdesk", "serial": "20260101", "slot": "9a", "reason": "keyCompromise"}},
	{notice.CertificateRevoked, notice.Params{"by": "helpdesk", "serial": "20260101", "slot": "9a", "reason": "unspecified"}},
	{notice.CertificateRevoked, notice.Params{"by": "helpdesk", "count": "1"}},
	{notice.CertificateRevoked, notice.Params{"by": "helpdesk", "count": "3"}},
	{notice.CertificateEnding, notice.Params{"serial": "20260101", "label": "Spare key", "slot": "9a", "days": "14",
		"ends_at": "2027-03-31T22:30:00Z"}},
	{notice.CertificateEnded, notice.Params{"serial": "20260101", "slot": "9d", "ends_at": "2027-03-01T12:00:00Z"}},
	{notice.CertificatesEnding, notice.Params{"organization": "Northwind", "n0": "1", "n1": "2", "n3": "1", "n7": "2", "n14": "1", "n30": "17",
		"tokens": "20260101\n20260102 (Spare key)\n20260103", "more": "21"}},
	{notice.CertificatesEnding, notice.Params{"n0": "2", "n1": "1", "n3": "2", "n7": "1", "n14": "2", "n30": "1",
		"tokens": "20260101", "more": "1"}},

	{notice.AdminAdded, notice.Params{"by": "admin", "username": "mia"}},
	{notice.AdminAdded, notice.Params{"username": "mia"}},
	{notice.BackupSettings, notice.Params{"by": "admin", "changed": "encryption_password, s3_endpoint"}},
	{notice.ReleaseLimit, notice.Params{"by": "helpdesk", "limit": "20", "action": "hwkey.secrets_released"}},
	{notice.LicenseEnding, notice.Params{"what": "license", "days": "14", "ends_at": "2026-12-31T23:00:00Z"}},
	{notice.LicenseEnding, notice.Params{"what": "trial", "days": "1", "ends_at": "2026-12-31T23:00:00Z"}},
	{notice.LicenseEnding, notice.Params{"what": "trial", "days": "0", "ends_at": "2026-12-31T23:00:00Z"}},
	{notice.BackupFailed, notice.Params{"job": "backup", "scheduled": "true", "began": "2026-11-23T01:00:00Z",
		"error": "The storage does not answer. Look whether it can be reached."}},
	{notice.BackupFailed, notice.Params{"job": "backup", "scheduled": "true", "began": "2026-11-23T01:00:00Z",
		"error": "This server and the S3 store differ.",
		"cause": `{"code":"storage_unavailable","params":{"reason":"s3_denied","action":"s3:PutObject"},"text":"Denied."}`}},
	{notice.BackupFailed, notice.Params{"job": "backup", "began": "2026-11-23T01:00:00Z",
		"error": "The server was stopped while the job ran. Start it again.",
		"cause": `{"code":"happened","params":{"what":{"code":"server_stopped","text":"It was stopped."},` +
			`"todo":{"code":"start_again","text":"Start it again."}},"text":"It was stopped. Start it again."}`}},
	{notice.BackupFailed, notice.Params{"job": "restore", "began": "2026-11-23T01:00:00Z",
		"error": "The server's data directory has 1200 MB left.",
		"cause": `{"code":"storage_unavailable","params":{"reason":"restore_disk_full","free":1200,"needed":1234567},"text":"Full."}`}},
	{notice.BackupFailed, notice.Params{"job": "restore", "began": "2026-11-23T01:00:00Z",
		"error": "Something of a later version.", "cause": `{"code":"of_a_later_version","text":"Something of a later version."}`}},
	{notice.BackupFailed, notice.Params{"job": "restore", "began": "2026-11-23T01:00:00Z"}},
	{notice.DrillFailed, notice.Params{"job": "drill", "scheduled": "true", "began": "2026-11-23T01:00:00Z",
		"error": "There is no room on the disk."}},
	{notice.BackupOverdue, notice.Params{"what": "backup", "due": "2026-11-23T01:00:00Z", "latest": "2026-11-22T01:07:00Z"}},
	{notice.BackupOverdue, notice.Params{"what": "drill", "due": "2026-11-23T01:00:00Z"}},
	{notice.AuditSealBroken, notice.Params{"reason": "batch 17 is gone"}},
	{notice.StoresDisagree, notice.Params{"older": "database"}},
	{notice.StoresDisagree, notice.Params{"older": "vault"}},
	{notice.Digest, notice.Params{"organization": "Northwind", "ending": "12", "ended": "2", "unset": "3", "lost": "4", "rotations": "5",
		"locked": "6", "unreached": "7"}},
	{notice.Digest, notice.Params{"ending": "1", "ended": "1", "unset": "1", "lost": "1", "rotations": "1", "locked": "1", "unreached": "1",
		"backup": "overdue"}},
}
