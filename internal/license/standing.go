package license

import (
	"context"
	"errors"
	"time"
)

// Status is how an installation is licensed (specification, "License status").
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

// Restricts tells whether what grows an installation is refused in this status.
func (s Status) Restricts() bool { return s == Invalid || s == Expired || s == Missing }

// License is what the vendor signed (specification, "License").
type License struct {
	InstallationID string    `json:"installation_id"` // base64 of a SHA-256
	CustomerName   string    `json:"customer_name"`
	CustomerEmail  string    `json:"customer_email"`
	LicenseType    string    `json:"license_type"` // the vendor's own word
	IssueDate      time.Time `json:"issue_date"`
	ExpiryDate     time.Time `json:"expiry_date"`
}

// Standing is how an installation is licensed at a moment.
type Standing struct {
	Status         Status
	License        *License // the stored one; nil without one
	DaysRemaining  int      // whole days that the license or the trial still runs; never negative
	InstallationID string
	TrialStartedAt time.Time // zero: no trial has begun
	NewestIssue    time.Time // issue date of the latest license that was ever stored here; zero: none was
	At             time.Time // when it was evaluated: now, unless the clock stands before the latest moment seen
	ClockBehind    bool      // the clock stands before At by more than ClockSlack
}

// Facts is what the standing follows from, for whoever knows more than one of them and
// evaluates once more.
func (s Standing) Facts() Facts {
	return Facts{
		InstallationID: s.InstallationID, License: s.License, Authentic: s.Status != Invalid,
		TrialStartedAt: s.TrialStartedAt, NewestIssue: s.NewestIssue, LastSeen: s.At,
	}
}

// Event is one line of the history of operations.
type Event struct {
	At        time.Time `json:"at"`
	Operation string    `json:"operation"`                 // trial, upload, remove
	Outcome   string    `json:"outcome"`                   // success, rejected
	Message   string    `json:"message"`                   // in English, for people
	Summary   *License  `json:"license_summary,omitempty"` // of what it was about; nil when it could not be read
}

// What an Event is of, and how it ended.
const (
	OperationTrial  = "trial"
	OperationUpload = "upload"
	OperationRemove = "remove"

	OutcomeSuccess  = "success"
	OutcomeRejected = "rejected"
)

// Port is what the backend asks: the Service in its own process, or a license service
// over HTTP.
type Port interface {
	// InstallationID is generated at the first call, and the same ever after.
	InstallationID(ctx context.Context) (string, error)
	// Status starts the trial of an installation that never had one.
	Status(ctx context.Context) (Standing, error)
	// Upload checks the file and stores its license. A *Rejected says why not; then nothing
	// changed. replaceNewer lets a license be stored that was issued before the latest one
	// that was ever stored here.
	Upload(ctx context.Context, file []byte, replaceNewer bool) (Standing, error)
	// Remove removes the stored license. ErrNone when there is none.
	Remove(ctx context.Context) (Standing, error)
	// History is newest first, of at most MaxHistory entries.
	History(ctx context.Context) ([]Event, error)
}

// ErrNone: no license is stored.
var ErrNone = errors.New("license: none is stored")

// MaxHistory is how many operations are kept.
const MaxHistory = 100
