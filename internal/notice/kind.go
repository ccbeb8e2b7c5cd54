package notice

// Kind is what a message is about. Its name is part of the API.
type Kind string

// The kinds. Table says who is told, and how.
const (
	AgentReplaced Kind = "agent_replaced" // another of one's agents was registered with one's session
	AgentPaired   Kind = "agent_paired"   // an agent that one had not used before was taken
	AccountLocked Kind = "account_locked" // failed sign-ins locked one's account

	PasswordChanged Kind = "password_changed"
	PasswordReset   Kind = "password_reset" // by somebody else
	EmailChanged    Kind = "email_changed"
	Invitation      Kind = "invitation"

	TokenAssigned   Kind = "token_assigned"
	TokenTaken      Kind = "token_taken"  // one's token has another owner now, or none
	TokenStatus     Kind = "token_status" // suspended, reported lost, retired, brought back
	TokenReset      Kind = "token_reset"
	TokenUnblocked  Kind = "token_unblocked"  // somebody else set its PIN anew
	SecretsReleased Kind = "secrets_released" // somebody else was given its secrets

	CertificateIssued  Kind = "certificate_issued" // by somebody else
	CertificateRevoked Kind = "certificate_revoked"
	CertificateEnding  Kind = "certificate_ending"
	CertificateEnded   Kind = "certificate_ended"
	CertificatesEnding Kind = "certificates_ending" // those of an organization, in one message

	AdminAdded     Kind = "admin_added"     // an account became an active global administrator
	BackupSettings Kind = "backup_settings" // the backups' password, store or schedule was changed

	ReleaseLimit    Kind = "release_limit" // somebody ran into the hourly cap of released tokens
	LicenseEnding   Kind = "license_ending"
	BackupFailed    Kind = "backup_failed"
	BackupOverdue   Kind = "backup_overdue" // a backup or a drill that should have been made
	DrillFailed     Kind = "drill_failed"
	AuditSealBroken Kind = "audit_seal_broken"
	StoresDisagree  Kind = "stores_disagree" // database or vault is older than the other knows it to be
	Digest          Kind = "digest"
)
