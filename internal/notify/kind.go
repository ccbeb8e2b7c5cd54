package notify

// Kind is what a message is about. Its name is part of the API.
type Kind string

// The kinds. Table says who is notified, and how.
const (
	AgentReplaced Kind = "agent_replaced" // another of the person's agents was registered with their session
	AgentPaired   Kind = "agent_paired"   // an agent new to the account was accepted
	AccountLocked Kind = "account_locked" // failed sign-ins locked the account

	PasswordChanged Kind = "password_changed"
	PasswordReset   Kind = "password_reset" // by someone else
	EmailChanged    Kind = "email_changed"
	Invitation      Kind = "invitation"

	TokenAssigned   Kind = "token_assigned"
	TokenSetUp      Kind = "token_set_up" // someone else set it up: all of it in one mail
	TokenTaken      Kind = "token_taken"  // the person's token has another owner now, or none
	TokenStatus     Kind = "token_status" // suspended, reported lost, retired or reactivated
	TokenReset      Kind = "token_reset"
	TokenUnblocked  Kind = "token_unblocked"  // someone else set a new PIN
	SecretsReleased Kind = "secrets_released" // someone else received its secrets

	CertificateIssued         Kind = "certificate_issued" // by someone else
	CertificateRevoked        Kind = "certificate_revoked"
	CertificateExpires        Kind = "certificate_ending"
	CertificateEnded          Kind = "certificate_ended"
	CertificatesExpireSummary Kind = "certificates_ending" // those of an organization, in one message

	AdminAdded     Kind = "admin_added"     // an account became an active global administrator
	CAChanged      Kind = "ca_changed"      // a CA was requested, installed, activated or retired
	CAEnding       Kind = "ca_ending"       // the CA needs a successor
	BackupSettings Kind = "backup_settings" // the backups' password, store or schedule was changed

	ReleaseLimit    Kind = "release_limit" // someone reached the hourly cap of released tokens
	LicenseEnding   Kind = "license_ending"
	BackupFailed    Kind = "backup_failed"
	BackupOverdue   Kind = "backup_overdue" // a scheduled backup or drill was not made
	DrillFailed     Kind = "drill_failed"
	AuditSealBroken Kind = "audit_seal_broken"
	StoresDisagree  Kind = "stores_disagree" // database or vault is older than the other one records
	Digest          Kind = "digest"
)
