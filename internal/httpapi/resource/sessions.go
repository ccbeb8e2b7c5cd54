package resource

import (
	"context"
	"net/http"
	"time"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
)

// SessionPath names a session.
type SessionPath struct {
	ID int64 `path:"id" minimum:"1"`
}

func registerSessions(s *httpapi.Server, svc *session.Service) {
	tags := []string{"session"}
	httpapi.Register(s, httpapi.Operation{ID: "get-session", Method: http.MethodGet, Path: "/api/session/{id}",
		Tags: tags, Summary: "Show a session"},
		func(ctx context.Context, in *SessionPath) (*answer[backend.Session], error) {
			sess, err := svc.Get(ctx, httpapi.ScopeFrom(ctx), in.ID)
			if err != nil {
				return nil, err
			}
			return &answer[backend.Session]{sessionBody(sess, svc.Now())}, nil
		})
	registerSessionList(s, svc)
	registerAgents(s, svc)
}

func sessionBody(sess session.Session, now time.Time) backend.Session {
	out := backend.Session{
		ID: sess.ID, UserID: sess.UserID, IPAddress: sess.IPAddress, UserAgent: sess.UserAgent,
		CreatedAt: sess.CreatedAt.UTC(), ExpiresAt: sess.ExpiresAt.UTC(), Active: sess.Live(now), Hostname: sess.Hostname,
	}
	if out.Active && sess.AgentPublicKey != "" {
		out.AgentRegistered, out.AgentKeyFingerprint = true, &sess.AgentKeyFingerprint
	}
	return out
}

func registerSessionList(s *httpapi.Server, svc *session.Service) {
	tags := []string{"session"}
	httpapi.Register(s, httpapi.Operation{ID: "list-sessions", Method: http.MethodGet, Path: "/api/auth/sessions", Tags: tags,
		Summary:     "List your sessions, or those of a user you manage",
		Description: "Includes ended and expired sessions for a day."},
		func(ctx context.Context, in *struct {
			Paging
			UserID int64 `query:"user_id" minimum:"1" doc:"absent: oneself"`
		}) (*answer[page.Page[backend.ListedSession]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			a := httpapi.ActorFrom(ctx)
			list, err := svc.List(ctx, a, httpapi.ScopeFrom(ctx), in.UserID, p)
			if err != nil {
				return nil, err
			}
			now := svc.Now()
			return &answer[page.Page[backend.ListedSession]]{page.Map(list, func(sess session.Session) backend.ListedSession {
				return backend.ListedSession{Session: sessionBody(sess, now), Current: sess.ID == a.SessionID}
			})}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "end-session", Method: http.MethodDelete, Path: "/api/auth/sessions/{id}",
		Tags: tags, Status: http.StatusNoContent,
		Summary: "End a session and its tokens"},
		func(ctx context.Context, in *SessionPath) (*struct{}, error) {
			return nil, svc.End(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.ID)
		})
}
