package httpapi

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
)

// ListedSession is a session in a list.
type ListedSession struct {
	Session
	Current bool `json:"current" doc:"true for the session that asks"`
}

func registerSessionList(s *Server, svc *session.Service) {
	tags := []string{"session"}
	register(s, Operation{ID: "list-sessions", Method: http.MethodGet, Path: "/api/auth/sessions", Tags: tags,
		Summary: "List one's own sessions, or those of a user that one manages", Description: "Ended and expired sessions are among them for a day."},
		func(ctx context.Context, in *struct {
			Paging
			UserID int64 `query:"user_id" minimum:"1" doc:"absent: oneself"`
		}) (*answer[page.Page[ListedSession]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			a := ActorFrom(ctx)
			list, err := svc.List(ctx, a, ScopeFrom(ctx), in.UserID, p)
			if err != nil {
				return nil, err
			}
			now := svc.Now()
			return &answer[page.Page[ListedSession]]{page.Map(list, func(sess session.Session) ListedSession {
				return ListedSession{sessionBody(sess, now), sess.ID == a.SessionID}
			})}, nil
		})
	register(s, Operation{ID: "end-session", Method: http.MethodDelete, Path: "/api/auth/sessions/{id}", Tags: tags, Status: http.StatusNoContent,
		Summary: "End a session and its tokens at once"},
		func(ctx context.Context, in *SessionPath) (*struct{}, error) {
			return nil, svc.End(ctx, ActorFrom(ctx), ScopeFrom(ctx), in.ID)
		})
}
