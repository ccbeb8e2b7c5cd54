// Package notice holds messages to people: what happened to their account
// or, for administrators, what they should look at. A message is written in
// the same transaction as what it tells of: as a notice, which the page shows
// until it is read, and as mail (package mail), as Table says.
//
// Routes: GET /api/notices, POST /api/notices/{id}/read, GET and PUT
// /api/auth/notifications.
package notice

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/page"
)

// Notice is a message to one person.
type Notice struct {
	ID        int64
	UserID    int64
	Kind      Kind
	Message   string // plain text, English
	Params    Params
	CreatedAt time.Time
	ReadAt    *time.Time
}

// Params are the values that a message's sentences name: plain texts, times as
// RFC 3339. None is a secret, for they stand in the database and in mail.
type Params map[string]string

// Audience says who gets a message, of those who are active. With a UserID it is
// that person. With Managers it is the organization's managers; where it has none,
// and without an organization, it is the global admins. With neither it is every
// global admin and, with an organization, its managers too.
type Audience struct {
	UserID         int64
	OrganizationID *int64
	Managers       bool
	Except         int64 // who did it, and is not told; 0: nobody
}

// Message is a message on its way to an audience.
type Message struct {
	To      Audience
	Kind    Kind
	Message string // plain text, English; empty: package text's
	Params  Params
	At      time.Time
	// Address is where the mail goes, in place of the address that the person has now.
	Address string
	// MailID is the random part of the mail's Message-ID, where the sender makes
	// something from it. Empty: the store makes one for each mail.
	MailID string
	// Quiet is how long it is not told again to a person who was told the same kind by
	// the same person of the same token, with all of its fields. Zero: it always is.
	Quiet time.Duration
}

// Filter narrows a list.
type Filter struct{ Unread bool }

// Store keeps notices. Whoever changes something that is to be told writes
// the message in that change's transaction.
type Store interface {
	// ListNotices returns those of a user, newest first.
	ListNotices(ctx context.Context, userID int64, f Filter, p page.Request) (page.Page[Notice], error)
	// ReadNotice marks a user's notice as read; reading it again changes
	// nothing. NotFound when it is not theirs.
	ReadNotice(ctx context.Context, userID, id int64, at time.Time) (Notice, error)
	// Preferences are a person's; NotFound when there is no such account.
	Preferences(ctx context.Context, userID int64) (Preferences, error)
	// PutPreferences stores a choice beside those made before; NotFound when there is no such account.
	PutPreferences(ctx context.Context, userID int64, c Choosing) error
}
