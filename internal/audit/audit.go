// Package audit is the record of who did what to what (contract, "Audit").
//
// An entry is written in the same transaction as the change of the database
// that it tells of: the methods of the store that change something take their
// entries. Changes in the vault are followed by their entry before anything is
// answered. Routes: GET /api/admin/audit.
package audit

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/oneline"
	"github.com/keyward/keyward/internal/page"
)

// ErrNotTaken means that the database refuses to take an entry: somebody has put
// something over the log.
var ErrNotTaken = errors.New("audit: the database takes no entry")

// Action names what happened: noun.verb.
type Action string

// The actions that exist so far.
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

	SystemRecovered Action = "system.recovered"

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
	BackupDownloaded      Action = "backup.downloaded" // through a link to the directory; a bucket does not tell
	BackupDrillCompleted  Action = "backup.drill_completed"
	BackupDrillFailed     Action = "backup.drill_failed"
	BackupCancelRequested Action = "backup.cancel_requested"
	RestoreApplied        Action = "restore.applied" // the database is changed, or the vault is about to be
	RestoreCompleted      Action = "restore.completed"
	RestoreFailed         Action = "restore.failed"
)

// Outcome is how an action ended.
type Outcome string

// The outcomes.
const (
	Success Outcome = "success"
	Failure Outcome = "failure"
	Denied  Outcome = "denied"
)

// System is the actor's name for what the server does by itself.
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
	TargetID       string // empty lets the store fill in the id of the row that it inserts
	Hostname       string
	IPAddress      string
	RequestID      string
	Reason         string // why, as the person said it; a revocation's is its RFC 5280 name
	Details        string // plain text for people
	FileName       string // backups only, as the three below
	BackupType     string
	DurationMS     *int64
	SizeBytes      *int64
	// Tell are the messages that go out with the entry, in its transaction. They
	// are no part of the log: an entry that is read has none.
	Tell []notice.Message
}

// By starts an entry about a success of the actor. Its texts, and those that
// Saying and Because give it, are what every database keeps, so that the entry is
// read back as it was made.
func By(a access.Actor, action Action, targetType, targetID string, details string) Entry {
	e := Entry{
		Action: action, Outcome: Success, Actor: oneline.Storable(a.Username), OrganizationID: a.OrganizationID,
		TargetType: targetType, TargetID: oneline.Storable(targetID), Hostname: oneline.Storable(a.Hostname),
		IPAddress: a.IPAddress, RequestID: oneline.Storable(a.RequestID), Details: oneline.Storable(details),
	}
	if a.UserID != 0 {
		id := a.UserID
		e.ActorID = &id
	}
	if a.APIKeyID != 0 { // two keys may have one name
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

// byKey begins what By appends of an API key.
const byKey = "by API key "

// APIKey is the number of the API key that By was given; zero for none.
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

// Saying returns the entry with other details, but for the API key.
func (e Entry) Saying(details string) Entry {
	details = oneline.Storable(details)
	if i := strings.LastIndex(e.Details, byKey); i >= 0 {
		details += "; " + e.Details[i:]
	}
	e.Details = details
	return e
}

// In returns the entry filed under another organization, that of the target.
func (e Entry) In(organizationID *int64) Entry {
	e.OrganizationID = organizationID
	return e
}

// Because returns the entry with the reason that was given.
func (e Entry) Because(reason string) Entry {
	e.Reason = oneline.Storable(reason)
	return e
}

// As returns the entry with another outcome.
func (e Entry) As(o Outcome) Entry {
	e.Outcome = o
	return e
}

// Telling returns the entry with messages that go out with it.
func (e Entry) Telling(messages ...notice.Message) Entry {
	e.Tell = append(slices.Clip(e.Tell), messages...)
	return e
}

// ID formats a numeric target id.
func ID(id int64) string { return strconv.FormatInt(id, 10) }

// Filter narrows a list; zero fields do not.
type Filter struct {
	Actor          string // exact username, ignoring case
	Action         string // prefix, for example "hwkey."
	Target         string // exact target id, ignoring case
	Outcome        Outcome
	OrganizationID *int64
	NoRenewals     bool      // without Refresh
	From, To       time.Time // From inclusive, To exclusive
	UpTo           int64     // ids up to it, so that a long reading has an end; zero: all
	OldestFirst    bool      // no filter, but the order
}

// Store keeps entries.
type Store interface {
	// AppendAudit writes entries that belong to no other change. The store
	// sets ID, and At when it is zero. When it returns nil they are durable.
	AppendAudit(ctx context.Context, entries ...Entry) error
	// ListAudit returns entries in scope (own reach: entries whose actor is
	// the user), newest first unless the filter says otherwise: by time and,
	// within a microsecond, by id.
	ListAudit(ctx context.Context, scope access.Scope, f Filter, p page.Request) (page.Page[Entry], error)
	// AuditAfter returns at most limit entries with ids above after, oldest
	// first: the tail that sealing, webhooks and the log of a SIEM follow. No
	// entry appears later below one that it has returned: while a transaction
	// that took an id is under way, entries above it wait for it. An id that no
	// entry has was taken by a transaction that was undone, or its entry is gone.
	AuditAfter(ctx context.Context, after int64, limit int) ([]Entry, error)
	// AuditEnd is the highest id that AuditAfter would return, zero when there
	// is no entry: whoever wants what comes from now on reads after it.
	AuditEnd(ctx context.Context) (int64, error)
	// NewestAudit is the highest id; zero when there is no entry.
	NewestAudit(ctx context.Context) (int64, error)
}
