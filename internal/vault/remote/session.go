package remote

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// loginAgain is how long to wait after a refused login before trying the same credentials again:
// the vault locks an AppRole out for 15 minutes after five refusals within as many.
const loginAgain = 5 * time.Minute

// Pauses after a failed renewal: the shortest and the longest.
const (
	renewSoon = time.Second
	renewLate = time.Minute
)

// minimalTTL is the shortest remaining lifetime worth a renewal; a token that gets less is near the
// end of all its renewals.
const minimalTTL = time.Second

// session is Keyward's standing with the vault: a token and how long it lasts.
type session struct {
	wire *wire
	opts Options
	log  *slog.Logger

	renewing chan struct{} // of one: one login or renewal at a time

	mu      sync.Mutex
	token   secret.String
	granted time.Duration // its whole lifetime; zero: it has no end
	at      time.Time     // of the login or last renewal, by the monotonic clock
	renews  bool
	refused error // why the last login was refused; nil: it was not
	tried   credentials
	retryAt time.Time
	changed chan struct{} // closed when there is a new token, or a new time
}

func newSession(w *wire, o Options) *session {
	return &session{wire: w, opts: o, log: o.Logger, renewing: make(chan struct{}, 1), changed: make(chan struct{})}
}

// begin waits for its turn to log in or to renew, and limits the time of that: a connection that
// accepts requests and never answers holds up nobody for longer. The caller calls done afterwards.
func (s *session) begin(ctx context.Context) (limited context.Context, done func(), err error) {
	select {
	case s.renewing <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, lost(ctx.Err())
	}
	limited, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	return limited, func() { cancel(); <-s.renewing }, nil
}

// current returns the token for a call; it logs in if there is none. ErrDenied if the vault refuses
// that.
func (s *session) current(ctx context.Context) (secret.String, error) {
	s.mu.Lock()
	token := s.token
	s.mu.Unlock()
	if !token.Empty() {
		return token, nil
	}
	return s.login(ctx, secret.String{})
}

// login replaces an expired token. A caller whose token was replaced meanwhile gets the new one.
func (s *session) login(ctx context.Context, ended secret.String) (secret.String, error) {
	ctx, done, err := s.begin(ctx)
	if err != nil {
		return secret.String{}, err
	}
	defer done()
	s.mu.Lock()
	token, refused, tried, retryAt := s.token, s.refused, s.tried, s.retryAt
	s.mu.Unlock()
	if !token.Empty() && !token.Equal(ended) {
		return token, nil
	}
	with, err := s.credentials()
	if err != nil {
		return secret.String{}, err
	}
	if refused != nil && with == tried && time.Now().Before(retryAt) {
		return secret.String{}, refused
	}
	g, err := s.enter(ctx, with)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if errors.Is(err, vault.ErrDenied) {
			s.refused, s.tried, s.retryAt = err, with, time.Now().Add(loginAgain)
			s.log.Error("the vault denies Keyward access: check its credentials and their role there", "method", s.method(), "error", err)
		}
		return secret.String{}, err
	}
	s.refused = nil
	s.take(g)
	return g.token, nil
}

// drop forgets an expired token.
func (s *session) drop(ended secret.String) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token.Equal(ended) {
		s.token = secret.String{}
	}
}

// grant is a token and its time.
type grant struct {
	token  secret.String
	ttl    time.Duration
	renews bool
}

// take needs mu.
func (s *session) take(g grant) {
	s.token, s.granted, s.renews, s.at = g.token, g.ttl, g.renews, time.Now()
	close(s.changed)
	s.changed = make(chan struct{})
}

// credentials are what a login uses.
type credentials struct {
	token, roleID, secretID, jwt secret.String

	certificate [sha256.Size]byte
}

// method names how Keyward logs in.
func (s *session) method() string {
	if s.opts.Token != nil {
		return "token"
	}
	return string(s.opts.Login.Method)
}

func (s *session) credentials() (c credentials, err error) {
	for _, part := range []struct {
		name string
		get  func() (secret.String, error)
		to   *secret.String
	}{
		{"token", s.opts.Token, &c.token}, {"role id", s.opts.Login.RoleID, &c.roleID},
		{"secret id", s.opts.Login.SecretID, &c.secretID}, {"JWT", s.opts.Login.JWT, &c.jwt},
	} {
		if part.get == nil {
			continue
		}
		if *part.to, err = part.get(); err != nil {
			return c, fmt.Errorf("%w: the %s: %w", vault.ErrDenied, part.name, err)
		}
	}
	if certificate := s.opts.Login.Certificate; certificate != nil {
		pair, err := certificate(nil)
		if err != nil {
			return c, fmt.Errorf("%w: the client certificate: %w", vault.ErrDenied, err)
		}
		c.certificate = sha256.Sum256(pair.Certificate[0])
	}
	return c, nil
}

func (s *session) enter(ctx context.Context, c credentials) (grant, error) {
	if s.opts.Token != nil {
		return s.lookup(ctx, c.token)
	}
	login := s.opts.Login
	var body map[string]string
	switch login.Method {
	case JWT, Kubernetes:
		body = map[string]string{"role": login.Role, "jwt": c.jwt.Reveal()}
	case Cert:
		body = map[string]string{"name": login.Role}
	default:
		body = map[string]string{"role_id": c.roleID.Reveal(), "secret_id": c.secretID.Reveal()}
	}
	g, err := s.authenticate(ctx, call{method: http.MethodPost, path: "auth/" + login.Mount + "/login", body: body})
	if errors.Is(err, vault.ErrInvalid) { // what the vault can't verify is a 400
		err = fmt.Errorf("%w: logging in by %s: %w", vault.ErrDenied, login.Method, err)
	}
	return g, err
}

// authenticate sends a call whose answer is a token.
func (s *session) authenticate(ctx context.Context, c call) (grant, error) {
	a, err := s.wire.send(ctx, c)
	if err == nil {
		err = a.judge()
	}
	if err != nil {
		return grant{}, err
	}
	var said struct {
		Auth struct {
			Token     string `json:"client_token"`
			Lease     int64  `json:"lease_duration"` // seconds
			Renewable bool   `json:"renewable"`
		} `json:"auth"`
	}
	if err := json.Unmarshal(a.body, &said); err != nil || said.Auth.Token == "" {
		return grant{}, fmt.Errorf("%w: the vault's answer to a login is not of its form", vault.ErrUnavailable)
	}
	return grant{secret.New(said.Auth.Token), time.Duration(said.Auth.Lease) * time.Second, said.Auth.Renewable}, nil
}

// lookup asks for the lifetime of a configured token.
func (s *session) lookup(ctx context.Context, token secret.String) (grant, error) {
	a, err := s.wire.send(ctx, call{method: http.MethodGet, path: "auth/token/lookup-self", token: token})
	if err == nil {
		err = a.judge()
	}
	if err != nil {
		return grant{}, err
	}
	var said struct {
		TTL       int64 `json:"ttl"`
		Renewable bool  `json:"renewable"`
	}
	if err := a.decode(&said); err != nil {
		return grant{}, err
	}
	return grant{token, time.Duration(said.TTL) * time.Second, said.Renewable}, nil
}

// ended reports whether the vault no longer knows a token, after it denied a call with it; if it
// cannot be asked, the token counts as known.
func (s *session) ended(ctx context.Context, token secret.String) bool {
	_, err := s.lookup(ctx, token)
	return errors.Is(err, vault.ErrDenied)
}

// renew extends the token's lifetime, or gets a new token.
func (s *session) renew(ctx context.Context) error {
	before, renewed, err := s.prolong(ctx)
	if renewed || noAnswer(err) || errors.Is(err, vault.ErrBusy) {
		return err
	}
	_, err = s.login(ctx, before)
	return err
}

// prolong renews a renewable token; it returns the token that it found.
func (s *session) prolong(ctx context.Context) (token secret.String, renewed bool, err error) {
	ctx, done, err := s.begin(ctx)
	if err != nil {
		return secret.String{}, false, err
	}
	defer done()
	s.mu.Lock()
	defer s.mu.Unlock()
	before := grant{s.token, s.granted, s.renews}
	if !before.renews {
		return before.token, false, nil
	}
	s.mu.Unlock()
	g, err := s.authenticate(ctx, call{method: http.MethodPost, path: "auth/token/renew-self", token: before.token, body: struct{}{}})
	s.mu.Lock()
	// A token that is not renewed for its whole lifetime is at the end of all its renewals.
	if err != nil || s.opts.Token == nil && (g.ttl <= before.ttl/3 || g.ttl <= minimalTTL) {
		return before.token, false, err
	}
	g.ttl = max(g.ttl, minimalTTL)
	s.take(grant{before.token, g.ttl, g.renews && g.ttl > before.ttl/3})
	return before.token, true, nil
}

// due returns when to renew, and a channel that is closed when that changes; ok is false if there
// is nothing to renew.
func (s *session) due() (in time.Duration, ok bool, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token.Empty() || s.granted == 0 || !s.renews && s.opts.Token != nil {
		return 0, false, s.changed
	}
	return time.Until(s.at.Add(s.granted * 2 / 3)), true, s.changed
}

// keep renews the token in time, until ctx ends. Failed renewals are retried after a growing pause.
func (s *session) keep(ctx context.Context) {
	for failed := 0; ; {
		in, ok, changed := s.due()
		if failed > 0 {
			in = max(in, min(renewSoon<<min(failed, 6), renewLate))
		}
		timer := time.NewTimer(max(in, 0))
		if !ok {
			timer.Stop()
		}
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-changed:
			timer.Stop()
			failed = 0
		case <-timer.C:
			if err := s.renew(ctx); err == nil {
				failed = 0
			} else {
				failed++
				s.log.Warn("could not renew the vault's token yet", "error", err)
			}
		}
	}
}
