package session

import (
	"context"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

// Lifetimes of what a sign-in issues (specification, "Limits").
type Lifetimes struct {
	Access  time.Duration // 30 minutes
	Session time.Duration // 1 hour
	Refresh time.Duration // 7 days: of the whole family
}

// DeviceBinding says what happens when a request's User-Agent is not the one
// of the sign-in.
type DeviceBinding string

// The bindings.
const (
	BindingLog    DeviceBinding = "log"
	BindingStrict DeviceBinding = "strict"
	BindingOff    DeviceBinding = "off"
)

// Service is the domain's face to the edges.
type Service struct {
	Store     Store
	Users     account.UserStore
	Audit     audit.Store
	Hasher    *password.Hasher
	Policies  password.Policies
	Signer    *Signer
	Lifetimes Lifetimes
	Binding   DeviceBinding
	// AgentTrust says when an agent's code must be compared.
	AgentTrust AgentTrust
	Log        *slog.Logger
	Now        func() time.Time
	// LocalLogin reports whether everyone may sign in with a password; nil:
	// always. Global admins always may.
	LocalLogin func(context.Context) (bool, error)
}

// Client is where a request comes from.
type Client struct {
	IPAddress string
	UserAgent string
	RequestID string
}

func (c Client) actor() access.Actor {
	return access.Actor{IPAddress: c.IPAddress, RequestID: c.RequestID, UserAgent: c.UserAgent}
}

// Grant is the outcome of a sign-in or a refresh.
type Grant struct {
	AccessToken  secret.String
	RefreshToken secret.String
	ExpiresIn    time.Duration
	FamilyEnds   time.Time
	Session      Session
	User         account.User
}

// Login checks a password and begins a session. A correct password of a
// disabled account is AccountDisabled; a wrong one or an unknown user is always
// InvalidCredentials, after the same work.
func (s *Service) Login(ctx context.Context, c Client, login string, pw secret.String, machineID string) (Grant, error) {
	if err := checkMachine(machineID); err != nil {
		return Grant{}, err
	}
	u, err := s.CheckPassword(ctx, c, audit.Login, login, pw)
	if err != nil {
		return Grant{}, err
	}
	ctx = context.WithoutCancel(ctx) // see CheckPassword
	if err := s.localLogin(ctx, c, u); err != nil {
		return Grant{}, err
	}
	if err := s.refuseExpired(ctx, c, u); err != nil {
		return Grant{}, err
	}
	return s.begin(ctx, c, u, machineID, byPassword(u, s.Now()))
}

func checkMachine(id string) error {
	if !textinput.ValidLine(id, 128) {
		return fault.Invalid(fault.BadText("machine_id", 128))
	}
	return nil
}

// CheckPassword finds an account by name and password, for a sign-in or a
// change of password. Failures are audited under the action and count for the
// lockout. The caller must not let what follows be cancelled with the client's
// connection: a correct guess would leave no trace.
func (s *Service) CheckPassword(ctx context.Context, c Client, action audit.Action, login string, pw secret.String) (account.User, error) {
	u, err := s.Users.UserByLogin(ctx, login)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return account.User{}, err
	}
	stale, err := s.guess(ctx, c, action, u, login, pw)
	if err != nil {
		return account.User{}, err
	}
	ctx = context.WithoutCancel(ctx)
	if u.MaySignIn() == nil {
		if stale {
			s.rehash(ctx, c, u, pw)
		}
		return u, nil
	}
	return account.User{}, s.refuse(ctx, c, action, u, "account or organization disabled", u.MaySignIn())
}

func wrongPassword() error {
	return fault.New(fault.InvalidCredentials, "credentials", "The username or password is wrong. Try again.")
}

// refuse audits why an action failed, and returns answer.
func (s *Service) refuse(ctx context.Context, c Client, action audit.Action, u account.User, why string, answer error) error {
	entry := failed(c, action, u)
	entry.Details = why
	if err := s.Audit.AppendAudit(ctx, entry); err != nil {
		return err
	}
	return answer
}

func failed(c Client, action audit.Action, u account.User) audit.Entry {
	a := c.actor()
	a.Username, a.OrganizationID = u.Username, u.OrganizationID
	e := audit.By(a, action, "user", "", "").As(audit.Failure)
	if u.ID != 0 {
		e.TargetID = audit.ID(u.ID)
	} else {
		e.Actor = "unknown"
	}
	e.IPAddress = c.IPAddress
	return e
}

func (s *Service) begin(ctx context.Context, c Client, u account.User, machineID string, p proof) (Grant, error) {
	now := s.Now()
	sess, err := s.newSession(c, u, machineID, now)
	if err != nil {
		return Grant{}, err
	}
	sess.AuthMethod, sess.AuthenticatedAt = p.method, p.at
	refresh, token, err := newRefresh(now)
	if err != nil {
		return Grant{}, err
	}
	// The token needs the vault. Fetching the key first keeps a sealed vault
	// from leaving behind a session that nobody holds.
	if _, err := s.Signer.key(ctx); err != nil {
		return Grant{}, err
	}
	family := Family{
		UserID: u.ID, CreatedAt: now, ExpiresAt: now.Add(s.Lifetimes.Refresh), UserAgent: sess.UserAgent,
		PasswordChangedAt: p.passwordChangedAt, Code: p.code,
	}
	a := actorOf(u, c)
	sess, err = s.Store.BeginSession(ctx, sess, family, token,
		audit.By(a, audit.Login, "user", audit.ID(u.ID), "method "+string(p.method)), audit.By(a, audit.SessionCreated, "session", "", ""))
	if err != nil {
		return Grant{}, err
	}
	u.LastLoginAt = &now
	return s.grant(ctx, u, sess, refresh, family.ExpiresAt)
}

func actorOf(u account.User, c Client) access.Actor {
	return access.Actor{
		UserID: u.ID, Username: u.Username, Role: u.Role, OrganizationID: u.OrganizationID,
		IPAddress: c.IPAddress, UserAgent: c.UserAgent, RequestID: c.RequestID,
	}
}

func (s *Service) newSession(c Client, u account.User, machineID string, now time.Time) (Session, error) {
	random, err := secret.Random()
	if err != nil {
		return Session{}, err
	}
	return Session{
		UserID: u.ID, TokenHash: random.Hash(), IPAddress: c.IPAddress, UserAgent: clip(c.UserAgent, 512), MachineID: machineID,
		CreatedAt: now, ExpiresAt: now.Add(s.Lifetimes.Session), Active: true, OrganizationID: u.OrganizationID,
	}, nil
}

func clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "?")
	for len(s) > n {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}

func newRefresh(now time.Time) (secret.String, RefreshToken, error) {
	token, err := secret.Random()
	return token, RefreshToken{Hash: token.Hash(), CreatedAt: now}, err
}

func (s *Service) grant(ctx context.Context, u account.User, sess Session, refresh secret.String, ends time.Time) (Grant, error) {
	token, lasts, err := s.Signer.Issue(ctx, u, sess, s.Lifetimes.Access)
	if err != nil {
		return Grant{}, err
	}
	return Grant{AccessToken: token, RefreshToken: refresh, ExpiresIn: lasts, FamilyEnds: ends, Session: sess, User: u}, nil
}

// Logout ends the session; its tokens are invalid at once.
func (s *Service) Logout(ctx context.Context, a access.Actor) error {
	return s.Store.EndSession(ctx, a.SessionID, s.Now(),
		audit.By(a, audit.Logout, "user", audit.ID(a.UserID), ""),
		audit.By(a, audit.SessionEnded, "session", audit.ID(a.SessionID), "logout"))
}

// ChangePassword checks the current password and stores a new one. Every
// session and refresh token of the user ends.
func (s *Service) ChangePassword(ctx context.Context, c Client, login string, current, next secret.String) error {
	u, err := s.CheckPassword(ctx, c, audit.PasswordChanged, login, current)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // see CheckPassword
	policy, err := s.Policies.PasswordPolicy(ctx)
	if err != nil {
		return err
	}
	if err := checkNew(policy, u, current, next); err != nil {
		return s.refuse(ctx, c, audit.PasswordChanged, u, "the new password breaks the policy", err)
	}
	hash, err := s.Hasher.Hash(ctx, next)
	if err != nil {
		return err
	}
	a := actorOf(u, c)
	now := s.Now()
	return s.Users.SetPassword(ctx, u.ID, hash, u.PasswordChangedAt, now,
		audit.By(a, audit.SessionEnded, "session", "", "the password was changed"),
		audit.By(a, audit.PasswordChanged, "user", audit.ID(u.ID), "sessions ended").Notifying(notify.Message{
			To: notify.Audience{UserID: u.ID}, Kind: notify.PasswordChanged, Params: notify.Params{"ip": c.IPAddress}, At: now}))
}

func checkNew(policy password.Policy, u account.User, current, next secret.String) error {
	if err := policy.Check("new_password", next, u.Username, u.Email); err != nil {
		return err
	}
	return password.MustDiffer("new_password", current, next)
}

// Get returns a session in scope.
func (s *Service) Get(ctx context.Context, scope access.Scope, id int64) (Session, error) {
	sess, err := s.Store.Session(ctx, scope, id)
	if err != nil {
		return Session{}, err
	}
	return s.shown(ctx, sess), nil
}
