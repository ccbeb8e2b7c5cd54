package session

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
)

// List returns the sessions of a user in scope, newest first; a zero userID is
// the actor. The list is empty for a user out of scope.
func (s *Service) List(ctx context.Context, a access.Actor, scope access.Scope, userID int64, p page.Request) (page.Page[Session], error) {
	if userID == 0 {
		userID = a.UserID
	}
	list, err := s.Store.ListSessions(ctx, scope, userID, p)
	for i, sess := range list.Items {
		list.Items[i] = s.shown(ctx, sess)
	}
	return list, err
}

// End ends a session in scope and its refresh family, at once. Ending an ended
// session is no error. NotFound outside scope.
func (s *Service) End(ctx context.Context, a access.Actor, scope access.Scope, id int64) error {
	sess, err := s.Store.Session(ctx, scope, id)
	if err != nil {
		return err
	}
	details := "by its owner"
	if sess.UserID != a.UserID {
		details = "by an administrator"
	}
	return s.Store.EndSession(ctx, id, s.Now(),
		audit.By(a, audit.SessionEnded, "session", audit.ID(id), details).In(sess.OrganizationID))
}
