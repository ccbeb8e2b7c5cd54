// Package notify holds messages to people: what happened to their account or,
// for administrators, what needs attention. A message is written in the same
// transaction as its event, as a notice, which the page shows until it is read,
// and as mail (package mail), as Table says.
//
// Routes: GET /api/notices, POST /api/notices/{id}/read, GET and PUT
// /api/auth/notifications.
package notify

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

// Params are the values in a message's sentences: plain texts, times as RFC
// 3339. None may be a secret: the database and mails contain them.
type Params map[string]string

// Audience selects the recipients among active accounts. With a UserID it is that
// person. With Managers it is the organization's managers; if it has none, or
// without an organization, the global admins. With neither it is every global
// admin and, with an organization, its managers too.
type Audience struct {
	UserID         int64
	OrganizationID *int64
	Managers       bool
	Except         int64 // the actor, who is not notified; 0: nobody
}

// Message is a message to an audience.
type Message struct {
	To      Audience
	Kind    Kind
	Message string // plain text, English; empty: package text's
	Params  Params
	At      time.Time
	// Address is where the mail goes, instead of the person's current address.
	Address string
	// MailID is the random part of the mail's Message-ID, for senders that
	// derive something from it. Empty: the store generates one for each mail.
	MailID string
	// Quiet suppresses the message for this long after the same person got one of the
	// same kind, by the same actor, about the same token with all of its fields. Zero:
	// never.
	Quiet time.Duration
}

// Filter narrows a list.
type Filter struct{ Unread bool }

// Store keeps notices. Every change to be notified writes its message in its own transaction.
type Store interface {
	// ListNotices returns a user's notices, newest first.
	ListNotices(ctx context.Context, userID int64, f Filter, p page.Request) (page.Page[Notice], error)
	// ReadNotice marks a user's notice as read; repeating that changes nothing.
	// NotFound when it is not theirs.
	ReadNotice(ctx context.Context, userID, id int64, at time.Time) (Notice, error)
	// Preferences returns a person's preferences; NotFound when there is no such account.
	Preferences(ctx context.Context, userID int64) (Preferences, error)
	// PutPreferences adds to or replaces earlier choices; NotFound when there is no such
	// account.
	PutPreferences(ctx context.Context, userID int64, c Choosing) error
}
