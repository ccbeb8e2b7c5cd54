package fault

// Code is a stable, machine-readable error identifier in snake_case. It is
// part of the contract: clients branch on it.
type Code string

// The codes of the backend and the agent.
const (
	InvalidRequest Code = "invalid_request"

	TokenMissing       Code = "token_missing"
	TokenExpired       Code = "token_expired"
	TokenInvalid       Code = "token_invalid"
	SessionNotFound    Code = "session_not_found"
	InvalidCredentials Code = "invalid_credentials"

	PermissionDenied         Code = "permission_denied"
	AccountDisabled          Code = "account_disabled"
	PasswordExpired          Code = "password_expired"
	LicenseRestricted        Code = "license_restricted"
	ReauthenticationRequired Code = "reauthentication_required"

	NotFound         Code = "not_found"
	MethodNotAllowed Code = "method_not_allowed"

	Conflict                  Code = "conflict"
	AgentNotRegistered        Code = "agent_not_registered"
	AgentConfirmationRequired Code = "agent_confirmation_required"
	CAEnded                   Code = "ca_ended"
	CANotActive               Code = "ca_not_active"
	RotationPending           Code = "rotation_pending"
	SecretsChanged            Code = "secrets_changed"
	CertificatesLive          Code = "certificates_live"
	ProfileInUse              Code = "profile_in_use"
	JobRunning                Code = "job_running"
	BackupNotConfigured       Code = "backup_not_configured"

	BodyTooLarge         Code = "body_too_large"
	UnsupportedMediaType Code = "unsupported_media_type"

	CSRRejected Code = "csr_rejected"
	// ProfileMismatch: a slot, key or person that a certificate profile is not for.
	ProfileMismatch Code = "profile_mismatch"
	// ProfileUnsupported: the vault's engine can't make such certificates.
	ProfileUnsupported Code = "profile_unsupported"
	MailFailed         Code = "mail_failed"
	AttestationFailed  Code = "attestation_failed"
	PasswordPolicy     Code = "password_policy"
	// CARejected: a CA's certificate that cannot be used, for its chain, end, usages or constraints.
	CARejected Code = "ca_rejected"
	// CertificateRejected: not issued by our CA, the CA's own, or required in full.
	CertificateRejected Code = "certificate_rejected"
	LicenseRejected     Code = "license_rejected"

	// Problems of a backup file.
	NotABackup          Code = "not_a_backup"
	BackupNewer         Code = "backup_newer"
	BackupTruncated     Code = "backup_truncated"
	BackupCorrupt       Code = "backup_corrupt"
	BackupPasswordWrong Code = "backup_password_wrong"
	BackupTooLarge      Code = "backup_too_large"

	RateLimited   Code = "rate_limited"
	AccountLocked Code = "account_locked"

	VaultUnavailable    Code = "vault_unavailable"
	StorageUnavailable  Code = "storage_unavailable"
	DatabaseUnavailable Code = "database_unavailable"
	BackendUnavailable  Code = "backend_unavailable"
	LicenseUnavailable  Code = "license_unavailable"
	Overloaded          Code = "overloaded"
	RecoveryRequired    Code = "recovery_required"
	RestoreRunning      Code = "restore_running"

	Internal Code = "internal"

	// Codes that only the agent uses (contract, "Agent").
	NoToken            Code = "no_token"
	TokenNotFound      Code = "token_not_found"
	TokenInUse         Code = "token_in_use"
	WrongPIN           Code = "wrong_pin"
	WrongPUK           Code = "wrong_puk"
	WrongManagementKey Code = "wrong_management_key"
	PINBlocked         Code = "pin_blocked"
	PUKBlocked         Code = "puk_blocked"
	PINRefused         Code = "pin_refused"
	CurrentRequired    Code = "current_required"
	RetriesLow         Code = "retries_low"
	SlotOccupied       Code = "slot_occupied"
	Busy               Code = "busy"
	DecryptFailed      Code = "decrypt_failed"
	ToolFailed         Code = "tool_failed"
	ToolMissing        Code = "tool_missing"
	OriginRefused      Code = "origin_refused"
)
