// Package mail sends messages to people by SMTP.
//
//	what is told ──notify──▶ outbox ──Sender──▶ SMTP server
//	(package notice)  (pending)   lease     250 after DATA: sent
//	                                        4xx for this message: pending again, later
//	                                        5xx for it, or a day over: failed
//	                                        the server's own trouble: all of them wait
//
// The store writes a message to the outbox in the transaction of what it tells of, while
// mail is switched on. A Sender takes messages by a lease. Each is sent once, but where
// nobody learned that the server took it: then it is sent again with the same Message-ID,
// by which mail systems know a repetition.
//
// The password of the SMTP server lies in the vault alone. Of what the server says only
// the codes are kept: its words are foreign text.
//
// Routes: GET|PUT /api/admin/settings/mail, POST /api/admin/settings/mail/test,
// GET /api/admin/mail, POST /api/admin/mail/{id}/retry.
package mail

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/page"
)

// Status is how far a message has come.
type Status string

// The statuses.
const (
	Pending Status = "pending"
	Sent    Status = "sent"    // the server took it
	Failed  Status = "failed"  // it was refused for good, or a day has passed
	Dropped Status = "dropped" // nobody is to get it any more
)

// TriedFor is how long a message is tried.
const TriedFor = 24 * time.Hour

// KeptFor is how long a message is kept after it has ended.
const KeptFor = 90 * 24 * time.Hour

// Message is one message on its way to one address.
type Message struct {
	ID             int64
	UserID         int64       // whom it is for
	Username       string      // of UserID; read only: the store joins it
	OrganizationID *int64      // whose managers it is for
	Role           access.Role // as what the person gets it; empty: as that person
	Address        string
	Language       string // en or de
	Kind           notice.Kind
	Params         notice.Params
	MessageID      string // without brackets; the same at every attempt
	Status         Status
	Attempts       int
	NextAttemptAt  *time.Time // while pending
	CreatedAt      time.Time
	ExpiresAt      time.Time // nobody tries any more then
	SentAt         *time.Time
	Error          Class  // of the last attempt; empty after a success
	Reply          string // the codes of the server's refusal, "550 5.1.1"
}

// Claim is a message in a sender's hands.
type Claim struct {
	Message

	Lease int64 // tells this claim from later ones
}

// Person is whom a message is for, as of now.
type Person struct {
	Username       string
	Email          string
	Role           access.Role
	OrganizationID *int64
	Active         bool
}

// Result is what became of a claim.
type Result struct {
	Status        Status
	Attempts      int
	NextAttemptAt *time.Time // while pending
	Error         Class
	Reply         string
	At            time.Time
}

// Filter narrows a list of messages; zero fields do not.
type Filter struct {
	Status Status
	Q      string // part of the address or the username
}

// Store keeps the outbox.
type Store interface {
	// ListMail returns messages, newest first.
	ListMail(ctx context.Context, f Filter, p page.Request) (page.Page[Message], error)
	// WaitingMail is how many messages are pending.
	WaitingMail(ctx context.Context) (int, error)
	// RetryMail makes a failed message pending, due at that time, with no attempt
	// counted and TriedFor ahead of it. NotFound, or Conflict when it has not failed.
	RetryMail(ctx context.Context, id int64, at time.Time, entry audit.Entry) (Message, error)
	// ClaimMail takes at most limit messages that are due and in nobody's hands, the
	// most overdue first, and leases them until then; only those of a kind, when it is
	// not empty.
	ClaimMail(ctx context.Context, now, until time.Time, only notice.Kind, limit int) ([]Claim, error)
	// FinishMail records what became of a claim and ends its lease: false, and nothing
	// done, when the message was claimed again or ended meanwhile. With a message that
	// was sent, its person's address works; with RecipientRefused or MailboxFull on one
	// that failed, it does not, unless it is another by now.
	FinishMail(ctx context.Context, c Claim, r Result) (bool, error)
	// ExpireMail fails at most limit pending messages whose time is over and that
	// nobody has in hand, and returns how many. Those that were never tried get the class.
	ExpireMail(ctx context.Context, now time.Time, class Class, limit int) (int, error)
	// PurgeMail removes at most limit messages that ended before then, and returns how
	// many.
	PurgeMail(ctx context.Context, before time.Time, limit int) (int, error)
	// MailPerson is whom a message is for; NotFound when there is no such account.
	MailPerson(ctx context.Context, userID int64) (Person, error)
}
