package text_test

import "github.com/keyward/keyward/internal/notify"

// sample is a message with every value that its text may need.
type sample struct {
	kind   notify.Kind
	params notify.Params
}

// samples cover every kind, in each of its forms.
var samples = []sample{
	{notify.AgentPaired, notify.Params{"code": "7KQM-2XHP", "ip": "192.0.2.7"}},
	{notify.AgentReplaced, notify.Params{"ip": "192.0.2.7"}},
	{notify.AccountLocked, notify.Params{"until": "2026-07-01T12:15:00Z", "attempts": "5", "ip": "192.0.2.7"}},
	{notify.PasswordChanged, notify.Params{"ip": "192.0.2.7"}},
	{notify.PasswordReset, notify.Params{"by": "helpdesk"}},
	{notify.EmailChanged, notify.Params{"by": "helpdesk", "former": "alex@example.org"}},
	{notify.Invitation, notify.Params{
		"by": "helpdesk", "username": "alex", "organization": "Northwind", "expires_at": "2026-12-04T08:05:00Z",
	}},
	{notify.Invitation, notify.Params{"by": "admin", "expires_at": "2026-12-04T08:05:00Z"}},

	{notify.TokenAssigned, notify.Params{"by": "helpdesk", "serial": "20260101", "label": "Spare key"}},
	{notify.TokenSetUp, notify.Params{"by": "helpdesk", "serial": "20260101", "label": "Spare key", "assigned": "true",
		"fields": "management_key,puk,pin", "slots": "9a,9d", "unproved": "9d", "pin": "true", "reason": "ticket 4711"}},
	{notify.TokenSetUp, notify.Params{"by": "helpdesk", "serial": "20260101"}},
	{notify.TokenTaken, notify.Params{"by": "helpdesk", "serial": "20260101"}},
	{notify.TokenStatus, notify.Params{"by": "helpdesk", "serial": "20260101", "status": "suspended"}},
	{notify.TokenStatus, notify.Params{"serial": "20260101", "status": "suspended"}},
	{notify.TokenStatus, notify.Params{"by": "helpdesk", "serial": "20260101", "status": "lost"}},
	{notify.TokenStatus, notify.Params{"by": "helpdesk", "serial": "20260101", "status": "retired"}},
	{notify.TokenStatus, notify.Params{"by": "helpdesk", "serial": "20260101", "status": "active"}},
	{notify.TokenReset, notify.Params{"by": "helpdesk", "serial": "20260101", "reason": "ticket 4711"}},
	{notify.TokenUnblocked, notify.Params{"by": "helpdesk", "serial": "20260101", "reason": "ticket 4711"}},
	{notify.SecretsReleased, notify.Params{"by": "helpdesk", "serial": "20260101", "fields": "management_key,puk,pin",
		"reason": "ticket 4711"}},
	{notify.SecretsReleased, notify.Params{"by": "helpdesk", "serial": "20260101", "fields": "management_key"}},

	{notify.CertificateIssued, notify.Params{"by": "helpdesk", "serial": "20260101", "slot": "9a", "certificate": "0a1b2c",
		"attested": "true", "reason": "ticket 4711"}},
	{notify.CertificateIssued, notify.Params{"by": "helpdesk", "serial": "20260101", "slot": "9c", "attested": "false"}},
	{notify.CertificateRevoked, notify.Params{"by": "helpdesk", "serial": "20260101", "slot": "9a", "reason": "keyCompromise"}},
	{notify.CertificateRevoked, notify.Params{"by": "helpdesk", "serial": "20260101", "slot": "9a", "reason": "unspecified"}},
	{notify.CertificateRevoked, notify.Params{"by": "helpdesk", "count": "1"}},
	{notify.CertificateRevoked, notify.Params{"by": "helpdesk", "count": "3"}},
	{notify.CertificateExpires, notify.Params{"serial": "20260101", "label": "Spare key", "slot": "9a", "days": "14",
		"ends_at": "2027-03-31T22:30:00Z"}},
	{notify.CertificateEnded, notify.Params{"serial": "20260101", "slot": "9d", "ends_at": "2027-03-01T12:00:00Z"}},
	{notify.CertificatesExpireSummary, notify.Params{
		"organization": "Northwind", "n0": "1", "n1": "2", "n3": "1", "n7": "2", "n14": "1", "n30": "17",
		"tokens": "20260101\n20260102 (Spare key)\n20260103", "more": "21"}},
	{notify.CertificatesExpireSummary, notify.Params{"n0": "2", "n1": "1", "n3": "2", "n7": "1", "n14": "2", "n30": "1",
		"tokens": "20260101", "more": "1"}},

	{notify.AdminAdded, notify.Params{"by": "admin", "username": "mia"}},
	{notify.AdminAdded, notify.Params{"username": "mia"}},
	{notify.BackupSettings, notify.Params{"by": "admin", "changed": "encryption_password, s3_endpoint"}},
	{notify.CAChanged, notify.Params{"by": "admin", "action": "ca.requested", "ca": "CN=Keyward Root CA 2"}},
	{notify.CAChanged, notify.Params{"by": "admin", "action": "ca.installed", "ca": "CN=Keyward Root CA 2"}},
	{notify.CAChanged, notify.Params{"action": "ca.activated", "ca": "CN=Keyward Root CA 2"}},
	{notify.CAChanged, notify.Params{"action": "ca.retired", "ca": "CN=Keyward Root CA"}},
	{notify.CAEnding, notify.Params{"ca": "CN=Keyward Root CA", "ends_at": "2027-12-31T23:00:00Z"}},
	{notify.ReleaseLimit, notify.Params{"by": "helpdesk", "limit": "20", "action": "hwkey.secrets_released"}},
	{notify.LicenseEnding, notify.Params{"what": "license", "days": "14", "ends_at": "2026-12-31T23:00:00Z"}},
	{notify.LicenseEnding, notify.Params{"what": "trial", "days": "1", "ends_at": "2026-12-31T23:00:00Z"}},
	{notify.LicenseEnding, notify.Params{"what": "trial", "days": "0", "ends_at": "2026-12-31T23:00:00Z"}},
	{notify.BackupFailed, notify.Params{"job": "backup", "scheduled": "true", "began": "2026-11-23T01:00:00Z",
		"error": "The storage does not answer. Look whether it can be reached."}},
	{notify.BackupFailed, notify.Params{"job": "backup", "scheduled": "true", "began": "2026-11-23T01:00:00Z",
		"error": "This server and the S3 store differ.",
		"cause": `{"code":"storage_unavailable","params":{"reason":"s3_denied","action":"s3:PutObject"},"text":"Denied."}`}},
	{notify.BackupFailed, notify.Params{"job": "backup", "began": "2026-11-23T01:00:00Z",
		"error": "The server was stopped while the job ran. Start it again.",
		"cause": `{"code":"happened","params":{"what":{"code":"server_stopped","text":"It was stopped."},` +
			`"todo":{"code":"start_again","text":"Start it again."}},"text":"It was stopped. Start it again."}`}},
	{notify.BackupFailed, notify.Params{"job": "restore", "began": "2026-11-23T01:00:00Z",
		"error": "The server's data directory has 1200 MB left.",
		"cause": `{"code":"storage_unavailable","params":{"reason":"restore_disk_full","free":1200,"needed":1234567},"text":"Full."}`}},
	{notify.BackupFailed, notify.Params{"job": "restore", "began": "2026-11-23T01:00:00Z",
		"error": "Something of a later version.", "cause": `{"code":"of_a_later_version","text":"Something of a later version."}`}},
	{notify.BackupFailed, notify.Params{"job": "restore", "began": "2026-11-23T01:00:00Z"}},
	{notify.DrillFailed, notify.Params{"job": "drill", "scheduled": "true", "began": "2026-11-23T01:00:00Z",
		"error": "There is no room on the disk."}},
	{notify.BackupOverdue, notify.Params{"what": "backup", "due": "2026-11-23T01:00:00Z", "latest": "2026-11-22T01:07:00Z"}},
	{notify.BackupOverdue, notify.Params{"what": "drill", "due": "2026-11-23T01:00:00Z"}},
	{notify.AuditSealBroken, notify.Params{"reason": "batch 17 is gone"}},
	{notify.StoresDisagree, notify.Params{"older": "database"}},
	{notify.StoresDisagree, notify.Params{"older": "vault"}},
	{notify.Digest, notify.Params{"organization": "Northwind", "ending": "12", "ended": "2", "unset": "3", "lost": "4", "rotations": "5",
		"locked": "6", "unreached": "7"}},
	{notify.Digest, notify.Params{"ending": "1", "ended": "1", "unset": "1", "lost": "1", "rotations": "1", "locked": "1", "unreached": "1",
		"backup": "overdue"}},
}
