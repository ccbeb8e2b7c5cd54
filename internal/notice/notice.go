// Package notice holds messages to people: what happened to their account
// or, for administrators, what they should look at. A notice is written in
// the same transaction as what it tells of and shown until it is read.
//
// Routes: GET /api/notices, POST /api/notices/{id}/read.
package notice

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/page"
)

// Kind is what a notice is about, for a page to choose a picture by.
type Kind string

// The kinds.
const (
	AgentReplaced Kind = "agent_replaced" // another of one's agents was registered with one's session
	AgentPaired   Kind = "agent_paired"   // an agent that one had not used before was taken
	AccountLocked Kind = "account_locked" // failed sign-ins locked one's account
	ReleaseLimit  Kind = "release_limit"  // somebody ran into the hourly cap of released tokens
	// CertificateIssued: somebody else had a certificate issued for one's token.
	CertificateIssued Kind = "certificate_issued"
	BackupFailed      Kind = "backup_failed"  // a backup, restore or drill failed, or was not made
	LicenseEnding     Kind = "license_ending" // the license or the trial ends soon, or has ended
)

// Notice is a message to one person.
type Notice struct {
	ID        int64
	UserID    int64
	Kind      Kind
	Message   string // plain text
	CreatedAt time.Time
	ReadAt    *time.Time
}

// Audience says who gets a message: one user, or the administrators: every
// active global admin and, with an organization, its active managers.
type Audience struct {
	UserID         int64
	OrganizationID *int64
}

// Message is a notice on its way to an audience.
type Message struct {
	To      Audience
	Kind    Kind
	Message string
	At      time.Time
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
}
