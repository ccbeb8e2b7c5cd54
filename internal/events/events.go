// Package events tells pages what changed, so that they can show it at once (contract,
// GET /api/events).
//
// Every server follows the audit log, which all of them share and which each change of
// a token, an account or a certificate writes in its own transaction; and the newest
// backup jobs and notices, which have no entries. It does so once a second, and only
// while somebody listens:
//
//	database ─▶ Hub ─▶ Batch ─▶ each Stream: who may see it, one by one, as of now
package events

import (
	"context"
	"strconv"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
)

// Kind is what changed.
type Kind string

// The kinds.
const (
	Tokens       Kind = "tokens"
	Accounts     Kind = "accounts"
	Certificates Kind = "certificates"
	Jobs         Kind = "jobs"
	Notices      Kind = "notices"
)

// reads is the operation by which each kind is read. Notices are only ever one's own.
var reads = map[Kind]access.Operation{
	Tokens: "list-hwkeys", Accounts: "list-users", Certificates: "list-certificates", Jobs: "list-backup-jobs", Notices: "list-notices",
}

// Event names something that changed: a token or a certificate by serial number, the
// others by number.
type Event struct {
	Kind Kind
	ID   string
}

// Change is an event with whose it is.
type Change struct {
	Event

	OrganizationID *int64
	UserID         *int64 // who has it; of an account, its own id
}

// Visible reports whether the actor, as they are now, may know of the change.
func (c Change) Visible(a access.Actor) bool {
	if c.Kind == Accounts && c.concerns(a) {
		return true
	}
	scope, err := access.Can(a, reads[c.Kind])
	return err == nil && scope.Allows(c.OrganizationID, c.UserID)
}

// Affects reports whether the change may have changed what the actor may do.
func (c Change) Affects(a access.Actor) bool { return c.Kind == Accounts && c.concerns(a) }

func (c Change) concerns(a access.Actor) bool { return c.UserID != nil && *c.UserID == a.UserID }

// Target is the target of an audit entry.
type Target struct{ Type, ID string }

// Notice is what to know of a notice.
type Notice struct {
	ID, UserID int64
	Read       bool
}

// Job is a backup job and how far it is.
type Job struct {
	ID       int64
	Progress string
}

// Store is what the Hub follows.
type Store interface {
	AuditAfter(ctx context.Context, after int64, limit int) ([]audit.Entry, error)
	AuditEnd(ctx context.Context) (int64, error)
	NewestAudit(ctx context.Context) (int64, error)
	// Changed returns what the targets stand for, whatever the order. A session stands
	// for its account; what is gone, for nothing.
	Changed(ctx context.Context, targets []Target) ([]Change, error)
	// NewestNotices and NewestJobs return the newest, at most as many as asked for.
	NewestNotices(ctx context.Context, limit int) ([]Notice, error)
	NewestJobs(ctx context.Context, limit int) ([]Job, error)
}

// silent are the actions that change nothing that anybody looks at.
var silent = map[audit.Action]bool{audit.Refresh: true, audit.PasswordRehashed: true, audit.Reauthenticate: true}

// targets returns the targets of what succeeded, each once.
func targets(entries []audit.Entry) []Target {
	var list []Target
	seen := map[Target]bool{}
	for _, e := range entries {
		t := Target{e.TargetType, e.TargetID}
		if e.Outcome != audit.Success || silent[e.Action] || seen[t] {
			continue
		}
		seen[t] = true
		list = append(list, t)
	}
	return list
}

func number(id int64) string { return strconv.FormatInt(id, 10) }
