// Package audit is the record of who did what to what (contract, "Audit").
//
// An entry is written in the same transaction as the database change it describes:
// store methods that change something take their entries. A change in the vault is
// followed by its entry before the request is answered. Routes: GET
// /api/admin/audit.
package audit

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/textinput"
)

// Action names what happened: noun.verb.
type Action string

// The actions.
const (
	Login            Action = "auth.login"
	Logout           Action = "auth.logout"
	Refresh          Action = "auth.refresh"
	RefreshReuse     Action = "auth.refresh_reuse"
	PasswordChanged  Action = "auth.password_changed"
	PasswordRehashed Action = "auth.password_rehashed"
	Lockout          Action = "auth.lockout"
	Reauthenticate   Action = "auth.reauthenticated"

	SessionCreated         Action = "session.created"
	SessionEnded           Action = "session.ended"
	SessionAgentRegistered Action = "session.agent_registered"
	SessionAgentPaired     Action = "session.agent_paired"
	SessionAgentRemoved    Action = "session.agent_removed"

	PermissionDenied Action = "permission.denied"

	HWKeyRegistered    Action = "hwkey.registered"
	HWKeyImported      Action = "hwkey.imported"
	HWKeyUpdated       Action = "hwkey.updated"
	HWKeyAssigned      Action = "hwkey.assigned"
	HWKeyStatusChanged Action = "hwkey.status_changed"
	HWKeyEnrolled      Action = "hwkey.enrolled"
	HWKeyReset         Action = "hwkey.reset"

	SecretsReleased   Action = "hwkey.secrets_released"
	SecretsObserved   Action = "hwkey.secrets_observed"
	RotationStarted   Action = "hwkey.rotation_started"
	RotationCommitted Action = "hwkey.rotation_committed"
	RotationAborted   Action = "hwkey.rotation_aborted"

	CertificateIssued    Action = "certificate.issued"
	CertificateRevoked   Action = "certificate.revoked"
	CertificateInstalled Action = "certificate.installed"

	SystemRecovered  Action = "system.recovered"
	SystemKeyRenewed Action = "system.key_renewed"

	UserCreated       Action = "user.created"
	UserUpdated       Action = "user.updated"
	UserDisabled      Action = "user.disabled"
	UserEnabled       Action = "user.enabled"
	UserRoleChanged   Action = "user.role_changed"
	UserUnlocked      Action = "user.unlocked"
	UserPasswordReset Action = "user.password_reset"
	UserInvited       Action = "user.invited"

	OrganizationCreated  Action = "organization.created"
	OrganizationUpdated  Action = "organization.updated"
	OrganizationDisabled Action = "organization.disabled"
	OrganizationEnabled  Action = "organization.enabled"

	SettingsChanged Action = "settings.changed"

	ProfileCreated      Action = "profile.created"
	ProfileChanged      Action = "profile.changed"
	ProfileDeleted      Action = "profile.deleted"
	SlotProfilesChanged Action = "slot_profiles.changed"

	CARequested Action = "ca.requested"
	CAInstalled Action = "ca.installed"
	CAActivated Action = "ca.activated"
	CARetired   Action = "ca.retired"

	APIKeyCreated Action = "api_key.created"
	APIKeyRevoked Action = "api_key.revoked"

	WebhookCreated       Action = "webhook.created"
	WebhookUpdated       Action = "webhook.updated"
	WebhookDeleted       Action = "webhook.deleted"
	WebhookReplayed      Action = "webhook.replayed"
	WebhookSecretRotated Action = "webhook.secret_rotated"

	MailRetried Action = "mail.retried"

	AuditExported Action = "audit.exported"

	LicenseUploaded Action = "license.uploaded"
	LicenseRejected Action = "license.rejected"
	LicenseRemoved  Action = "license.removed"

	BackupCompleted       Action = "backup.completed"
	BackupFailed          Action = "backup.failed"
	BackupDeleted         Action = "backup.deleted"
	BackupLinkCreated     Action = "backup.link_created"
	BackupDownloaded      Action = "backup.downloaded" // through a link to the directory; a bucket does not report it
	BackupDrillCompleted  Action = "backup.drill_completed"
	BackupDrillFailed     Action = "backup.drill_failed"
	BackupCancelRequested Action = "backup.cancel_requested"
	RestoreApplied        Action = "restore.applied" // the database has changed, or the vault is about to
	RestoreCompleted      Action = "restore.completed"
	RestoreFailed         Action = "restore.failed"
)

// Outcome is the result of an action.
type Outcome string

// The outcomes.
const (
	Success Outcome = "success"
	Failure Outcome = "failure"
	Denied  Outcome = "denied"
)

// System is the actor name of the server itself.
const System = "system"

// Entry is one line of the audit log. It never holds a secret.
type Entry struct {
	ID             int64
	At             time.Time
	Action         Action
	Outcome        Outcome
	ActorID        *int64 // nil for the system, for API keys and for failed logins
	Actor          string // username, System, or "api-key:" and the name of the key
	OrganizationID *int64 // whose managers may read it
	TargetType     string // user, organization, session, hwkey, certificate
	TargetID       string // if empty, the store fills in the id of the row that it inserts
	Hostname       string
	IPAddress      string
	RequestID      string
	Reason         string // as the person gave it; for a revocation, its RFC 5280 name
	Details        string // plain text for people
	FileName       string // this and the next three only for backups
	BackupType     string
	DurationMS     *int64
	SizeBytes      *int64
	// Notify has the messages to send with the entry, in its transaction. They are not
	// part of the log: entries that are read have none.
	Notify []notify.Message
}

// By returns an entry about a success of the actor. By, Saying and Because adapt
// texts to what every database stores, so that the entry reads back unchanged.
func By(a access.Actor, action Action, targetType, targetID string, details string) Entry {
	e := Entry{
		Action: action, Outcome: Success, Actor: textinput.Storable(a.Username), OrganizationID: a.OrganizationID,
		TargetType: targetType, TargetID: textinput.Storable(targetID), Hostname: textinput.Storable(a.Hostname),
		IPAddress: a.IPAddress, RequestID: textinput.Storable(a.RequestID), Details: textinput.Storable(details),
	}
	if a.UserID != 0 {
		id := a.UserID
		e.ActorID = &id
	}
	if a.APIKeyID != 0 { // two keys may have the same name
		if e.Details != "" {
			e.Details += "; "
		}
		e.Details += byKey + ID(a.APIKeyID)
	}
	if e.Actor == "" {
		e.Actor = System
		if e.IPAddress == "" {
			e.IPAddress = System
		}
	}
	return e
}

// byKey begins what By appends for an API key.
const byKey = "by API key "

// APIKey returns the number of the API key given to By; zero for none.
func (e Entry) APIKey() int64 {
	i := strings.LastIndex(e.Details, byKey)
	if i < 0 {
		return 0
	}
	id, err := strconv.ParseInt(e.Details[i+len(byKey):], 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// Saying returns the entry with other details, keeping the API key.
func (e Entry) Saying(details string) Entry {
	details = textinput.Storable(details)
	if i := strings.LastIndex(e.Details, byKey); i >= 0 {
		details += "; " + e.Details[i:]
	}
	e.Details = details
	return e
}

// In returns the entry filed under another organization, the target's.
func (e Entry) In(organizationID *int64) Entry {
	e.OrganizationID = organizationID
	return e
}

// Because returns the entry with a reason.
func (e Entry) Because(reason string) Entry {
	e.Reason = textinput.Storable(reason)
	return e
}

// As returns the entry with another outcome.
func (e Entry) As(o Outcome) Entry {
	e.Outcome = o
	return e
}

// Notifying returns the entry with messages to send with it.
func (e Entry) Notifying(messages ...notify.Message) Entry {
	e.Notify = append(slices.Clip(e.Notify), messages...)
	return e
}

// ID formats a numeric target ID.
func ID(id int64) string { return strconv.FormatInt(id, 10) }

// Filter narrows a list; zero fields do not filter.
type Filter struct {
	Actor          string // exact username, ignoring case
	Action         string // prefixes between commas, for example "hwkey."
	Target         string // exact target ID, ignoring case; of a token, with its certificates
	User           int64  // what an account did, and what was done to it and what it has; zero: of all
	Outcome        Outcome
	OrganizationID *int64
	NoRenewals     bool      // omits Refresh
	From, To       time.Time // From inclusive, To exclusive
	UpTo           int64     // highest ID, so that a long reading ends; zero: all
	OldestFirst    bool      // the order, not a filter
}

// Store keeps entries.
type Store interface {
	// AppendAudit writes entries that belong to no other change. The store sets ID, and
	// At if zero. Once it returns nil they are durable.
	AppendAudit(ctx context.Context, entries ...Entry) error
	// ListAudit returns entries in scope (own reach: entries whose actor is the user),
	// newest first unless the filter says otherwise: by time and, within a microsecond, by ID.
	ListAudit(ctx context.Context, scope access.Scope, f Filter, p page.Request) (page.Page[Entry], error)
	// NameAudit returns what is called today whom entries name, as far as the scope shows it.
	NameAudit(ctx context.Context, scope access.Scope, entries []Entry) (Names, error)
	// AuditAfter returns at most limit entries with IDs above after, oldest first:
	// sealing, webhooks and SIEM forwarding follow it. No entry appears later below one
	// that it has returned: entries wait while a transaction with a lower ID is open. An
	// ID without an entry belongs to a transaction that was rolled back, or its entry is gone.
	AuditAfter(ctx context.Context, after int64, limit int) ([]Entry, error)
	// AuditEnd returns the highest ID that AuditAfter would return, zero if there is
	// none. Readers that only want later entries start after it.
	AuditEnd(ctx context.Context) (int64, error)
	// NewestAudit returns the highest ID; zero if there is no entry.
	NewestAudit(ctx context.Context) (int64, error)
}
