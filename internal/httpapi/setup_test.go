package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi/apitest"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// tokens is an Authenticator for the edge alone: the bearer names a role, or the fault
// that checks 1 to 3 end with. The real one is tested in package session and, as a
// whole, in package app.
type tokens struct{}

func (tokens) Authenticate(_ context.Context, bearer string, _ RequestInfo) (access.Actor, account.User, error) {
	organization := int64(7)
	switch role := access.Role(bearer); {
	case role == access.GlobalAdmin:
		return access.Actor{UserID: 1, Username: "root", Role: role, SessionID: 11}, account.User{ID: 1,
			Username: "root", Role: role, IsActive: true, AuthSource: account.Local}, nil
	case role.Valid():
		return access.Actor{UserID: 2, Username: "ann", Role: role, OrganizationID: &organization,
			SessionID: 12}, account.User{ID: 2, Username: "ann", Role: role, IsActive: true, AuthSource: account.Local}, nil
	default:
		return access.Actor{}, account.User{}, fault.New(fault.Code(bearer), "", "refused")
	}
}

type standing struct {
	db    error
	vault vault.State
}

func (s standing) Ping(context.Context) error        { return s.db }
func (s standing) State(context.Context) vault.State { return s.vault }

type echoInput struct {
	Limit int `query:"limit" default:"50" minimum:"1" maximum:"500"`
	Body  struct {
		Name     string            `json:"name" minLength:"1" maxLength:"20" pattern:"^[a-z]*$"`
		Password secret.String     `json:"password,omitempty" maxLength:"20"`
		Kind     string            `json:"kind,omitempty" enum:"a,b"`
		Count    int64             `json:"count,omitempty" maximum:"100"`
		ID       int64             `json:"id,omitempty"`
		Wait     string            `json:"wait,omitempty" format:"duration"`
		Email    string            `json:"email,omitempty" format:"email"`
		Tags     []string          `json:"tags,omitempty" maxItems:"2"`
		Inner    *struct{ A int }  `json:"inner,omitempty"`
		More     map[string]string `json:"more,omitempty"`
	}
}

type echoOutput struct {
	Body struct {
		Name string `json:"name"`
	}
}

// setup serves the API with a few test operations, which use the rules of real ones.
func setup(t *testing.T, change ...func(*Options)) (*Server, string) {
	t.Helper()
	o := Options{
		Version: "test", Auth: tokens{}, Health: standing{vault: vault.Connected},
		AllowedOrigins: []string{"https://ui.example"}, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		SiteURL: "https://keyward.example",
	}
	for _, c := range change {
		c(&o)
	}
	s := newServerWithTestRoutes(o)
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return s, srv.URL
}

func newServerWithTestRoutes(o Options) *Server {
	s := New(o)
	echo := func(_ context.Context, in *echoInput) (*echoOutput, error) {
		out := &echoOutput{}
		out.Body.Name = in.Body.Name
		return out, nil
	}
	Register(s, Operation{hidden: true, ID: "login", Method: http.MethodPost, Path: "/api/test/public", Limit: LimitLogin}, echo)
	Register(s, Operation{hidden: true, ID: "create-organization", Method: http.MethodPost, Path: "/api/test/admin"}, echo)
	type path struct {
		Name string `path:"name"`
	}
	Register(s, Operation{hidden: true, ID: "me", Method: http.MethodGet, Path: "/api/test/fail/{name}"},
		func(_ context.Context, in *path) (*echoOutput, error) {
			switch in.Name {
			case "panic":
				panic("the secret of the panic")
			case "plain":
				return nil, io.ErrClosedPipe
			default:
				return nil, fault.New(fault.Code(in.Name), "", "A detail.").WithExtra("retries_left", 2)
			}
		})
	Register(s, Operation{hidden: true, ID: "get-session", Method: http.MethodGet, Path: "/api/test/who/{name}"},
		func(ctx context.Context, _ *path) (*struct{ Body map[string]any }, error) {
			a, scope := ActorFrom(ctx), ScopeFrom(ctx)
			return &struct{ Body map[string]any }{map[string]any{
				"user": a.UserID, "ip": a.IPAddress, "agent": a.UserAgent, "request_id": a.RequestID,
				"reach": scope.Reach, "organization": scope.OrganizationID, "https": InfoFrom(ctx).HTTPS,
			}}, nil
		})
	return s
}

var do = apitest.Do

var asJSON = []string{"Content-Type", "application/json"}

func as(role access.Role, more ...string) []string {
	return append([]string{"Authorization", "Bearer " + string(role)}, more...)
}

// webPage stands for the web UI.
var webPage = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "page") })

// call calls the handler itself, without a connection.
func call(h http.Handler, method, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(context.Background(), method, "/", nil)
	r.URL = &url.URL{Path: target}
	if path, query, ok := strings.Cut(target, "?"); ok {
		r.URL = &url.URL{Path: path, RawQuery: query}
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
