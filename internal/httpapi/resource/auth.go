package resource

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/signon"
)

// webClient is the value of X-Keyward-Client that asks for the cookie.
const webClient = "web"

type loginInput struct {
	Client string `header:"X-Keyward-Client" doc:"web: the refresh token comes as a cookie only"`
	Body   backend.LoginRequest
}

type refreshInput struct {
	Client string `header:"X-Keyward-Client" doc:"web: the refresh token is taken from the cookie"`
	Origin string `header:"Origin"`
	RefreshCookie

	Body *backend.RefreshRequest
}

type invitedAccountOutput struct {
	Body backend.Invited
}

type grantOutput struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      backend.Grant
}

// StatusOutput reports success.
type StatusOutput struct {
	Body backend.Done
}

func statusOK() *StatusOutput {
	out := &StatusOutput{}
	out.Body.Status = "ok"
	return out
}

// site is the server as sign-in sees it: its public address determines cookies and
// origins.
type site struct{ *httpapi.Server }

func clientOf(ctx context.Context) session.Client {
	i := httpapi.InfoFrom(ctx)
	return session.Client{IPAddress: i.IPAddress, UserAgent: i.UserAgent, RequestID: i.RequestID}
}

func registerAuth(server *httpapi.Server, svc *session.Service, sso *signon.Service) {
	s, tags := site{server}, []string{"auth"}
	httpapi.Register(server, httpapi.Operation{ID: "login", Method: http.MethodPost, Path: "/api/auth/login",
		Tags: tags, Limit: httpapi.LimitLogin,
		Summary: "Sign in with username and password"},
		func(ctx context.Context, in *loginInput) (*grantOutput, error) {
			g, err := svc.Login(ctx, clientOf(ctx), in.Body.Username, in.Body.Password, in.Body.MachineID)
			if err != nil {
				return nil, err
			}
			return s.grant(ctx, g, in.Client), nil
		})
	httpapi.Register(server, httpapi.Operation{ID: "refresh", Method: http.MethodPost, Path: "/api/auth/refresh",
		Tags: tags, Limit: httpapi.LimitLogin,
		Summary: "Exchange a refresh token for new tokens",
		Description: "Each refresh token works once. Using one again ends the session, except within 30 seconds while its successor is " +
			"unused."},
		func(ctx context.Context, in *refreshInput) (*grantOutput, error) {
			token, err := s.refreshToken(ctx, in)
			if err != nil {
				return nil, err
			}
			g, err := svc.Refresh(ctx, clientOf(ctx), token)
			if err != nil {
				return nil, err
			}
			return s.grant(ctx, g, in.Client), nil
		})
	httpapi.Register(server, httpapi.Operation{ID: "logout", Method: http.MethodPost, Path: "/api/auth/logout",
		Tags: tags, Summary: "End your session and all its tokens"},
		func(ctx context.Context, in *struct {
			Client string `header:"X-Keyward-Client"`
		}) (*logoutOutput, error) {
			out := &logoutOutput{}
			out.Body.Status = "ok"
			if in.Client == webClient {
				out.SetCookie = s.cookies(ctx, "", "", time.Unix(1, 0))
			}
			// A person who closes the page meanwhile is signed out all the same.
			lasting, actor := context.WithoutCancel(ctx), httpapi.ActorFrom(ctx)
			ended, err := svc.Get(lasting, access.All(), actor.SessionID)
			if err != nil {
				return nil, err
			}
			if err := svc.Logout(lasting, actor); err != nil {
				return nil, err
			}
			out.Body.LogoutURL = s.logoutURL(ctx, sso, ended.AuthMethod == session.OIDC)
			return out, nil
		})
	httpapi.Register(server, httpapi.Operation{ID: "change-password", Method: http.MethodPost,
		Path: "/api/auth/password", Tags: tags, Limit: httpapi.LimitLogin,
		Summary: "Change a password, even one that must be changed before signing in"},
		func(ctx context.Context, in *struct {
			Body backend.ChangePasswordRequest
		}) (*StatusOutput, error) {
			return statusOK(), svc.ChangePassword(ctx, clientOf(ctx), in.Body.Username, in.Body.CurrentPassword, in.Body.NewPassword)
		})
	httpapi.Register(server, httpapi.Operation{ID: "invitation", Method: http.MethodPost, Path: "/api/auth/invitation",
		Tags: tags, Limit: httpapi.LimitLogin,
		Summary: "Set your account's first password with an invitation"},
		func(ctx context.Context, in *struct{ Body backend.InvitationRequest }) (*StatusOutput, error) {
			return statusOK(), svc.TakeInvitation(ctx, clientOf(ctx), in.Body.Token, in.Body.Password)
		})
	httpapi.Register(server, httpapi.Operation{ID: "invited", Method: http.MethodPost, Path: "/api/auth/invitation/account",
		Tags: tags, Limit: httpapi.LimitLogin,
		Summary: "Tell whose account an invitation is for"},
		func(ctx context.Context, in *struct{ Body backend.InvitedRequest }) (*invitedAccountOutput, error) {
			u, ends, err := svc.Invited(ctx, in.Body.Token)
			if err != nil {
				return nil, err
			}
			return &invitedAccountOutput{Body: backend.Invited{
				Username: u.Username, Name: u.Name, OrganizationName: u.OrganizationName, ExpiresAt: ends,
			}}, nil
		})
	httpapi.Register(server, httpapi.Operation{ID: "reauthenticate", Method: http.MethodPost, Path: "/api/auth/reauthenticate", Tags: tags,
		Summary: "Prove again who you are",
		Description: "Counts as recent for 10 minutes. Anything that outlives a stolen access token, or makes another sign-in " +
			"possible, requires it: settings, roles, passwords and invitations, API keys, webhooks, resetting a token, an " +
			"agent that you haven't used before."},
		func(ctx context.Context, in *reauthenticateInput) (*StatusOutput, error) {
			switch {
			case in.Body.Password.Empty() == in.Body.Code.Empty():
				return nil, fault.Invalid(fault.Wrong("password", "password_or_code", "or code is required, not both"))
			case in.Body.Code.Empty():
				return statusOK(), svc.Reauthenticate(ctx, httpapi.ActorFrom(ctx), in.Body.Password)
			}
			at, err := s.redeemProof(ctx, sso, in)
			if err != nil {
				return nil, err
			}
			return statusOK(), svc.Proved(ctx, httpapi.ActorFrom(ctx), at)
		})
	registerMe(server)
}

type logoutOutput struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      backend.LogoutResult
}

func registerMe(s *httpapi.Server) {
	httpapi.Register(s, httpapi.Operation{ID: "me", Method: http.MethodGet, Path: "/api/auth/me",
		Tags: []string{"auth"}, Summary: "Show who is signed in and what they can do"},
		func(ctx context.Context, _ *struct{}) (*meOutput, error) {
			actor := httpapi.ActorFrom(ctx)
			out := &meOutput{}
			out.Body.User = userBody(httpapi.AccountFrom(ctx))
			out.Body.SessionID = actor.SessionID
			out.Body.Permissions = permissions[actor.Role]
			return out, nil
		})
}

type meOutput struct {
	Body backend.Me
}

// permissions of each role, sorted, computed once: the table does not change.
var permissions = func() map[access.Role][]string {
	out := map[access.Role][]string{}
	for _, role := range []access.Role{access.GlobalAdmin, access.OrgManager, access.User} {
		for _, op := range access.Permissions(role) {
			out[role] = append(out[role], string(op))
		}
		slices.Sort(out[role])
	}
	return out
}()

func (s site) grant(ctx context.Context, g session.Grant, client string) *grantOutput {
	out := &grantOutput{}
	out.Body.AccessToken = g.AccessToken.Reveal()
	out.Body.TokenType = "Bearer"
	out.Body.ExpiresIn = int(g.ExpiresIn.Seconds())
	out.Body.SessionID = g.Session.ID
	out.Body.User = userBody(g.User)
	refresh := g.RefreshToken.Reveal()
	if client == webClient {
		out.SetCookie = s.cookies(ctx, refresh, strconv.FormatInt(g.Session.ID, 10), g.FamilyEnds)
	} else {
		out.Body.RefreshToken = &refresh
	}
	return out
}
