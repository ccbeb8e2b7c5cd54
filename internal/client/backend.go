package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

const (
	// backendTimeout exceeds the minute that the service may take for any response,
	// even while its database or vault hangs.
	backendTimeout = 65 * time.Second
	// early is how long before its expiry an access token is renewed.
	early = time.Minute
)

// ErrSignedOut is returned by calls that need a sign-in before there is one.
var ErrSignedOut = errors.New("not signed in: sign in first")

// BackendOptions are details of the connection to a backend. The zero value is right
// for https.
type BackendOptions struct {
	AllowHTTP bool             // plain http to another machine
	UserAgent string           // empty: "keyward"
	Now       func() time.Time // nil: time.Now
	// Attempts bounds how often a repeatable request is sent. 0 means the default, 4; 1
	// repeats nothing.
	Attempts int
}

// Backend is a signed-in connection to the service. It is safe for concurrent use.
type Backend struct {
	caller *caller
	now    func() time.Time

	mu        sync.Mutex // guards what follows; held during a refresh, so that there is one
	access    secret.String
	refresh   secret.String
	expires   time.Time
	sessionID int64
}

// NewBackend returns a connection that is not signed in. It sends nothing yet.
func NewBackend(address string, o BackendOptions) (*Backend, error) {
	if o.UserAgent == "" {
		o.UserAgent = "keyward"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	c, err := newCaller("server", address, o.AllowHTTP, o.UserAgent)
	if err != nil {
		return nil, err
	}
	if o.Attempts > 0 {
		c.attempts = o.Attempts
	}
	return &Backend{caller: c, now: o.Now}, nil
}

// SetTransport replaces the HTTP transport, for a client certificate or a test's own
// server. Call it before the first request.
func (b *Backend) SetTransport(t http.RoundTripper) { b.caller.http.Transport = t }

// Login signs in. It is never repeated automatically: failed logins count.
func (b *Backend) Login(ctx context.Context, username string, password secret.String) (User, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	body := backend.LoginRequest{Username: username, Password: password}
	var t backend.Grant
	err := b.caller.do(ctx, request{method: http.MethodPost, path: "/api/auth/login", body: body, timeout: backendTimeout}, &t)
	if err != nil {
		return User{}, err
	}
	b.keep(t)
	return t.User, nil
}

// Reauthenticate proves the user's identity again, for operations that require a recent
// proof.
func (b *Backend) Reauthenticate(ctx context.Context, password secret.String) error {
	return b.post(ctx, "/api/auth/reauthenticate", backend.ReauthenticateRequest{Password: password}, nil)
}

// keep stores the tokens of a login or refresh. The caller holds mu.
func (b *Backend) keep(t backend.Grant) {
	b.access, b.refresh, b.sessionID = secret.New(t.AccessToken), secret.String{}, t.SessionID
	if t.RefreshToken != nil {
		b.refresh = secret.New(*t.RefreshToken)
	}
	b.expires = b.now().Add(time.Duration(t.ExpiresIn) * time.Second)
}

// Refresh renews the access token now. After the session's hour it begins a new
// session, in which no agent is registered.
func (b *Backend) Refresh(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.renew(ctx)
}

func (b *Backend) renew(ctx context.Context) error {
	if b.refresh.Empty() {
		return ErrSignedOut
	}
	body := backend.RefreshRequest{RefreshToken: b.refresh}
	var t backend.Grant
	// A used refresh token is accepted again for 30 seconds, so a lost response does no
	// harm.
	r := request{method: http.MethodPost, path: "/api/auth/refresh", body: body, timeout: backendTimeout, repeatable: true}
	if err := b.caller.do(ctx, r, &t); err != nil {
		return err
	}
	b.keep(t)
	return nil
}

// bearer returns an unexpired access token. It renews the current one if it equals
// stale.
func (b *Backend) bearer(ctx context.Context, stale secret.String) (secret.String, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.access.Empty() {
		return secret.String{}, ErrSignedOut
	}
	refused := !stale.Empty() && stale.Equal(b.access)
	if refused || b.now().Add(early).After(b.expires) {
		if err := b.renew(ctx); err != nil {
			return secret.String{}, err
		}
	}
	return b.access, nil
}

// call sends an authenticated request.
func (b *Backend) call(ctx context.Context, r request, out any) error {
	var err error
	if r.timeout == 0 {
		r.timeout = backendTimeout
	}
	if r.bearer, err = b.bearer(ctx, secret.String{}); err != nil {
		return err
	}
	err = b.caller.do(ctx, r, out)
	// The clocks may differ, or the session's hour may end before the token expires:
	// nothing happened yet. A refresh continues in the next session, unless this one
	// was ended.
	if !fault.Is(err, fault.TokenExpired) && !fault.Is(err, fault.SessionNotFound) {
		return err
	}
	if r.bearer, err = b.bearer(ctx, r.bearer); err != nil {
		return err
	}
	return b.caller.do(ctx, r, out)
}

func (b *Backend) get(ctx context.Context, path string, query url.Values, out any) error {
	return b.call(ctx, request{method: http.MethodGet, path: path, query: query, repeatable: true}, out)
}

// post makes a change that must not be repeated.
func (b *Backend) post(ctx context.Context, path string, body, out any) error {
	return b.call(ctx, request{method: http.MethodPost, path: path, body: body}, out)
}

// postAgain makes a change that may be repeated.
func (b *Backend) postAgain(ctx context.Context, path string, body, out any) error {
	return b.call(ctx, request{method: http.MethodPost, path: path, body: body, repeatable: true}, out)
}

// Logout ends the session. The connection is signed out whatever the response.
func (b *Backend) Logout(ctx context.Context) error {
	err := b.postAgain(ctx, "/api/auth/logout", nil, nil)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.access, b.refresh, b.sessionID = secret.String{}, secret.String{}, 0
	return err
}

// Me returns the signed-in user.
func (b *Backend) Me(ctx context.Context) (Me, error) {
	var me Me
	return me, b.get(ctx, "/api/auth/me", nil, &me)
}

// SessionID returns the current session's ID, 0 when signed out.
func (b *Backend) SessionID() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sessionID
}

// Session reads a session.
func (b *Backend) Session(ctx context.Context, id int64) (Session, error) {
	var s Session
	return s, b.get(ctx, "/api/session/"+strconv.FormatInt(id, 10), nil, &s)
}

// ChangePassword changes the user's own password. It needs no sign-in, so that it also
// works after password_expired.
func (b *Backend) ChangePassword(ctx context.Context, username string, current, next secret.String) error {
	body := backend.ChangePasswordRequest{Username: username, CurrentPassword: current, NewPassword: next}
	return b.caller.do(ctx, request{method: http.MethodPost, path: "/api/auth/password", body: body, timeout: backendTimeout}, nil)
}
