package session

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/page"
)

// Session is one sign-in.
type Session struct {
	ID                  int64
	UserID              int64
	FamilyID            int64  // the refresh family that it belongs to
	TokenHash           string // hex SHA-256 of the session's random token
	IPAddress           string
	UserAgent           string
	MachineID           string
	Hostname            string // reported at agent registration
	CreatedAt           time.Time
	ExpiresAt           time.Time
	Active              bool
	AuthenticatedAt     time.Time // when the person last proved who they are; zero: unknown
	AuthMethod          Method
	AgentPublicKey      string // PEM, empty before registration
	AgentKeyFingerprint string
	AgentKeyMAC         string // of its registration, see Signer.Vouch; not read by Authenticate
	OrganizationID      *int64 // of the owner; read only: the store joins it
}

// Method is how a person signed in.
type Method string

// The methods.
const (
	Password Method = "password"
	OIDC     Method = "oidc"
)

// Live reports whether the session is active and not expired.
func (s Session) Live(now time.Time) bool { return s.Active && now.Before(s.ExpiresAt) }

// RefreshToken is one link of a family, which a sign-in starts.
type RefreshToken struct {
	ID        int64
	FamilyID  int64
	Hash      string // hex SHA-256 of the token
	CreatedAt time.Time
	UsedAt    *time.Time
	Successor *int64 // the token that replaced it
	Dead      bool   // replaced in the grace period, never to be used
}

// Family is the chain of refresh tokens of one sign-in.
type Family struct {
	ID        int64
	UserID    int64
	SessionID int64 // the current session
	CreatedAt time.Time
	ExpiresAt time.Time
	RevokedAt *time.Time
	UserAgent string // of the sign-in
	// PasswordChangedAt is the account's when its password was checked, for
	// BeginSession only; zero when none was checked.
	PasswordChangedAt time.Time
	// Code is the hash of the one-time code that this sign-in consumes, for
	// BeginSession only; empty without one.
	Code string
}

// RefreshState is all that a refresh decision depends on, read in one
// transaction.
type RefreshState struct {
	Token     RefreshToken
	Family    Family
	Successor *RefreshToken // of Token, when there is one
	Session   *Session      // the family's current session; nil when cleaned up
	User      account.User
}

// RefreshDecision is what to write in that same transaction.
type RefreshDecision struct {
	Refuse     error         // returned after the rest is written; nil when a token is issued
	RevokeAll  bool          // revoke the family and end its session
	NewToken   *RefreshToken // replaces Token (UsedAt, Successor set by the store)
	Replace    bool          // NewToken takes the place of Successor, which becomes Dead
	NewSession *Session      // begins, and becomes the family's current one
	Entries    []audit.Entry // the store sets the id in SessionCreated entries
}

// Store keeps sessions and refresh tokens.
type Store interface {
	Attempts
	// BeginSession writes session, family and first refresh token, and the
	// user's last_login_at, together with the entries (an empty target id of
	// type session becomes the new session's id). It returns the session
	// with ID and FamilyID. AccountDisabled when the user is no longer
	// active, InvalidCredentials when the password was changed since
	// Family.PasswordChangedAt, Conflict when Family.Code was used before.
	BeginSession(ctx context.Context, s Session, f Family, t RefreshToken, entries ...audit.Entry) (Session, error)
	// Authenticate reads a session with its user in one query. NotFound when
	// the session does not exist. Whether the session is live and the user
	// active is for the caller to check, in order.
	Authenticate(ctx context.Context, sessionID int64) (Session, account.User, error)
	// Refresh finds a refresh token by hash (NotFound otherwise), calls decide
	// with its state, and writes the decision, in one transaction that excludes
	// other refreshes of the family. It returns the family's session after
	// that.
	Refresh(ctx context.Context, hash string, decide func(RefreshState) RefreshDecision) (Session, error)
	// EndSession makes a session inactive, forgets its agent key and revokes
	// its refresh family, unless the family has moved on to another session.
	// Ending an ended session is no error and writes nothing.
	EndSession(ctx context.Context, id int64, at time.Time, entries ...audit.Entry) error
	// Session is NotFound outside scope (Own: the session's owner).
	Session(ctx context.Context, scope access.Scope, id int64) (Session, error)
	// ListSessions returns the sessions of a user in scope, newest first,
	// including ended and expired ones that are not removed yet.
	ListSessions(ctx context.Context, scope access.Scope, userID int64, p page.Request) (page.Page[Session], error)
	// RegisterAgent calls decide with a live session and the person's agents;
	// if it agrees, the key is stored in the session and the agent remembered,
	// in one transaction, one registration at a time. It forgets the person's
	// keys older than KeepAgentKeys. NotFound when the session is not live at
	// the key's time; else decide's error.
	RegisterAgent(ctx context.Context, id int64, key AgentKey, decide func(AgentState) (AgentDecision, error)) error
	// ListAgents returns the agents of a user, newest first.
	ListAgents(ctx context.Context, userID int64, p page.Request) (page.Page[Agent], error)
	// RemoveAgent forgets a user's agent and its keys, removes them from the
	// user's live sessions, and writes the entry. NotFound when there is none.
	RemoveAgent(ctx context.Context, userID, id int64, entry func(Agent) audit.Entry) error
	// SetAuthenticated records when the person of a live session proved their
	// identity again; a time before the recorded one changes nothing. NotFound
	// when the session is not live at that time.
	SetAuthenticated(ctx context.Context, id int64, at time.Time, entries ...audit.Entry) error
	// DeleteExpiredSessions removes sessions that ended or expired before the
	// time, except those whose family can still renew them, and families that
	// expired before it; at most limit of each. It returns the number of
	// sessions removed.
	DeleteExpiredSessions(ctx context.Context, before time.Time, limit int) (int64, error)
}
