// Package mail sends messages to people by SMTP.
//
//	notification ──notify──▶ outbox ──Sender──▶ SMTP server
//	(package notify)  (pending)   lease     250 after DATA: sent
//	                                        4xx for this message: pending again, later
//	                                        5xx for it, or a day over: failed
//	                                        the server is in trouble: all of them wait
//
// While mail is on, the store writes a message to the outbox in the transaction of the
// event that it reports. A Sender leases messages. Each is sent once, unless it is
// unknown whether the server took it: then it is sent again with the same Message-ID, by
// which mail systems recognize duplicates.
//
// Only the vault has the password of the SMTP server. Of the server's answers only the
// codes are kept: the text is untrusted.
//
// Routes: GET|PUT /api/admin/settings/mail, POST /api/admin/settings/mail/test,
// GET /api/admin/mail, POST /api/admin/mail/{id}/retry.
package mail

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
)

// Status is the state of a message.
type Status string

// The statuses.
const (
	Pending Status = "pending"
	Sent    Status = "sent"    // the server took it
	Failed  Status = "failed"  // refused permanently, or a day has passed
	Dropped Status = "dropped" // nobody should get it any more
)

// TriedFor is how long sending a message is tried.
const TriedFor = 24 * time.Hour

// KeptFor is how long a message is kept after it is sent, failed or dropped.
const KeptFor = 90 * 24 * time.Hour

// Message is a message to one address.
type Message struct {
	ID             int64
	UserID         int64       // the recipient
	Username       string      // of UserID; read only: the store joins it
	OrganizationID *int64      // the organization whose managers it is for
	Role           access.Role // the role for which the person gets it; empty: for themselves
	Address        string
	Language       string // en or de
	Kind           notify.Kind
	Params         notify.Params
	MessageID      string // without brackets; the same for every attempt
	Status         Status
	Attempts       int
	NextAttemptAt  *time.Time // while pending
	CreatedAt      time.Time
	ExpiresAt      time.Time // end of all attempts
	SentAt         *time.Time
	Error          Class  // of the last attempt; empty after a success
	Reply          string // the codes of the server's refusal, "550 5.1.1"
}

// Claim is a message leased by a sender.
type Claim struct {
	Message

	Lease int64 // distinguishes this claim from later ones
}

// Person is a message's recipient, as stored now.
type Person struct {
	Username       string
	Email          string
	Role           access.Role
	OrganizationID *int64
	Active         bool
}

// Result is the outcome of a claim.
type Result struct {
	Status        Status
	Attempts      int
	NextAttemptAt *time.Time // while pending
	Error         Class
	Reply         string
	At            time.Time
}

// Filter narrows a list of messages; zero fields do not filter.
type Filter struct {
	Status Status
	Q      string // part of the address or the username
}

// Store keeps the outbox.
type Store interface {
	// ListMail returns messages, newest first.
	ListMail(ctx context.Context, f Filter, p page.Request) (page.Page[Message], error)
	// WaitingMail returns how many messages are pending.
	WaitingMail(ctx context.Context) (int, error)
	// RetryMail makes a failed message pending, due at that time, with zero attempts
	// and TriedFor to go. NotFound, or Conflict when it has not failed.
	RetryMail(ctx context.Context, id int64, at time.Time, entry audit.Entry) (Message, error)
	// ClaimMail leases at most limit due and unleased messages, the most overdue
	// first, until then; only those of a kind, when it is not empty.
	ClaimMail(ctx context.Context, now, until time.Time, only notify.Kind, limit int) ([]Claim, error)
	// FinishMail records the result of a claim and ends its lease: false, and no
	// effect, when the message was claimed again or has ended. Sent marks its person's
	// address as working; Failed with RecipientRefused or MailboxFull marks it as
	// failing, unless it has changed.
	FinishMail(ctx context.Context, c Claim, r Result) (bool, error)
	// ExpireMail fails at most limit expired, unleased pending messages, and returns how
	// many. Those that were never tried get the class.
	ExpireMail(ctx context.Context, now time.Time, class Class, limit int) (int, error)
	// PurgeMail removes at most limit messages that ended before then, and returns how
	// many.
	PurgeMail(ctx context.Context, before time.Time, limit int) (int, error)
	// MailPerson returns a message's recipient; NotFound when there is no such account.
	MailPerson(ctx context.Context, userID int64) (Person, error)
}
