package license

import (
	"context"
	"errors"
	"time"
)

// Status is an installation's license status (specification, "License status").
type Status string

// The statuses.
const (
	Trial    Status = "TRIAL"
	Valid    Status = "VALID"
	Expiring Status = "EXPIRING"
	Invalid  Status = "INVALID"
	Expired  Status = "EXPIRED"
	Missing  Status = "MISSING"
)

// Statuses lists them.
func Statuses() []Status { return []Status{Trial, Valid, Expiring, Invalid, Expired, Missing} }

// Restricts reports whether growth of the installation is refused in this status.
func (s Status) Restricts() bool { return s == Invalid || s == Expired || s == Missing }

// License is what the vendor signed (specification, "License").
type License struct {
	InstallationID string    `json:"installation_id"` // base64 of a SHA-256
	CustomerName   string    `json:"customer_name"`
	CustomerEmail  string    `json:"customer_email"`
	LicenseType    string    `json:"license_type"` // the vendor's term
	IssueDate      time.Time `json:"issue_date"`
	ExpiryDate     time.Time `json:"expiry_date"`
}

// Evaluation is how an installation is licensed at a moment.
type Evaluation struct {
	Status         Status
	License        *License // the stored license; nil: none
	DaysRemaining  int      // whole days until the license or the trial ends; never negative
	InstallationID string
	TrialStartedAt time.Time // zero: no trial has begun
	NewestIssue    time.Time // issue date of the latest license ever stored here; zero: none
	At             time.Time // time of evaluation: now, unless the clock is before the latest time seen
	ClockBehind    bool      // the clock is before At by more than ClockSlack
	NoKeys         bool      // there is no public key to check a license with: each is rejected
}

// Facts returns the facts behind the evaluation, for callers that know more of them and
// evaluate again.
func (s Evaluation) Facts() Facts {
	return Facts{
		InstallationID: s.InstallationID, License: s.License, Authentic: s.Status != Invalid,
		TrialStartedAt: s.TrialStartedAt, NewestIssue: s.NewestIssue, LastSeen: s.At,
		NoKeys: s.NoKeys,
	}
}

// Event is one line of the history of operations.
type Event struct {
	At        time.Time `json:"at"`
	Operation string    `json:"operation"`                 // trial, upload, remove
	Outcome   string    `json:"outcome"`                   // success, rejected
	Message   string    `json:"message"`                   // in English, for people
	Summary   *License  `json:"license_summary,omitempty"` // the license concerned; nil when unreadable
}

// Operations and outcomes of an Event.
const (
	OperationTrial  = "trial"
	OperationUpload = "upload"
	OperationRemove = "remove"

	OutcomeSuccess  = "success"
	OutcomeRejected = "rejected"
)

// Port is what the backend uses: the Service in its own process, or a license service
// over HTTP.
type Port interface {
	// InstallationID is generated at the first call, and never changes.
	InstallationID(ctx context.Context) (string, error)
	// Status starts the trial of an installation that has never had one.
	Status(ctx context.Context) (Evaluation, error)
	// Upload checks the file and stores its license. On a *Rejected nothing changed but the
	// history. replaceNewer permits a license issued before the latest one ever stored
	// here.
	Upload(ctx context.Context, file []byte, replaceNewer bool) (Evaluation, error)
	// Remove removes the stored license. ErrNone when there is none.
	Remove(ctx context.Context) (Evaluation, error)
	// History returns at most MaxHistory events, newest first.
	History(ctx context.Context) ([]Event, error)
}

// ErrNone: no license is stored.
var ErrNone = errors.New("license: none is stored")

// MaxHistory is how many events are kept.
const MaxHistory = 100
