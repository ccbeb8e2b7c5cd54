// Package signon signs people in through an OpenID Connect provider: the
// authorization code flow with PKCE, which ends in a one-time code for the page
// that began it.
//
//	GET start ─▶ state stored ─▶ provider ─▶ GET callback ─▶ code stored ─▶ page ─▶ POST exchange ─▶ session
//	             10 min, once                 ID token        60 s, once           (or reauthenticate)
//	             └───────────────── all of it by one browser ────────────────────┘
//
// A browser is known by a cookie with 256 random bits. The PKCE verifier and
// the nonce are derived from it and the state, so that the database, which has
// only hashes, can neither finish nor forge a round. No token ever appears in a
// URL.
//
// People are known by issuer and subject (OpenID Connect Core 1.0, section
// 5.7), never by email. Routes: GET /api/auth/config, GET
// /api/auth/oidc/start, /callback, POST /api/auth/oidc/exchange,
// GET|PUT /api/admin/settings/oidc.
package signon

import (
	"context"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/secret"
)

// How long a round through the provider, and the code at its end, may take.
const (
	StateLife = 10 * time.Minute
	CodeLife  = 60 * time.Second
)

// KeepCodes is how long a code is remembered after its end, so that a replay
// still ends what the code began: as long as refresh tokens last by default.
const KeepCodes = 7 * 24 * time.Hour

// State is a round in progress.
type State struct {
	Hash           string // hex SHA-256 of the state parameter
	BrowserHash    string // hex SHA-256 of the browser's secret
	Issuer         string // that the round was begun with
	ReturnTo       string // a path of this site, or empty
	Reauthenticate bool   // the person must prove their identity again
	CreatedAt      time.Time
	ExpiresAt      time.Time
}

// Code is the one-time code at the end of a round.
type Code struct {
	Hash           string // hex SHA-256 of the code
	BrowserHash    string
	UserID         int64
	AuthTime       time.Time // when the person authenticated to the provider; zero: not reported
	Reauthenticate bool
	CreatedAt      time.Time
	ExpiresAt      time.Time
	UsedAt         *time.Time // read only
	FamilyID       int64      // read only: the refresh family begun with it, or zero
}

// Placement is an account's role and organization.
type Placement struct {
	Role           access.Role
	OrganizationID *int64
}

// Store keeps rounds, codes and identities.
type Store interface {
	// AddState stores a round.
	AddState(ctx context.Context, s State) error
	// TakeState consumes and returns a round. NotFound, changing nothing, when
	// that browser began none with that hash, or it was used or has expired at
	// that time.
	TakeState(ctx context.Context, hash, browserHash string, at time.Time) (State, error)
	// AddCode stores a code.
	AddCode(ctx context.Context, c Code) error
	// Code returns a code, used or not. NotFound when the hash is unknown.
	Code(ctx context.Context, hash string) (Code, error)
	// TakeCode consumes a code that begins no session, with the entries.
	// Conflict when it was used before. (BeginSession consumes the others.)
	TakeCode(ctx context.Context, hash string, at time.Time, entries ...audit.Entry) error
	// ReplayedCode ends the family and current session that a code's use began,
	// and writes the entries; ended only if it ended a session, with that
	// session's id.
	ReplayedCode(ctx context.Context, hash string, at time.Time, ended audit.Entry, entries ...audit.Entry) error
	// UserByIdentity finds the account of a provider's subject; NotFound without one.
	UserByIdentity(ctx context.Context, issuer, subject string) (account.User, error)
	// InsertIdentity creates an account for a provider's subject, with the
	// first free username. Conflict with the field email or username when the
	// email or all the names are taken; Conflict without a field when the
	// subject has an account by now.
	InsertIdentity(ctx context.Context, issuer, subject string, u account.User, usernames []string, entry audit.Entry) (account.User, error)
	// DeleteExpiredSignOns removes rounds and codes that ended before their
	// times, at most limit of each, and returns the larger of the two counts.
	DeleteExpiredSignOns(ctx context.Context, states, codes time.Time, limit int) (int64, error)
}

// Client is Keyward as the provider knows it.
type Client struct {
	Issuer      string
	ID          string
	Secret      secret.String // empty: a public client
	Scopes      []string
	RedirectURL string
}

// Round is one trip through the provider.
type Round struct {
	State          string
	Nonce          string
	Verifier       secret.String // of PKCE (RFC 7636)
	Reauthenticate bool
}

// Identity is what a provider vouches for.
type Identity struct {
	Issuer   string
	Subject  string
	AuthTime time.Time      // zero: not reported
	Claims   map[string]any // of the ID token, completed from the user info when one that was asked for is missing
}

// Errors of a Provider, wrapped; test with errors.Is. They are for the log and
// the health report: the person never sees what a provider says.
var (
	ErrUnavailable = errors.New("the provider does not answer")
	ErrRejected    = errors.New("the provider's answer does not verify")
)

// Provider speaks OpenID Connect.
type Provider interface {
	// Discover fetches the provider's description again. ErrUnavailable or ErrRejected.
	Discover(ctx context.Context, issuer string) error
	// AuthorizationURL returns where a round begins. ErrUnavailable.
	AuthorizationURL(ctx context.Context, c Client, r Round) (string, error)
	// Identify ends a round: it redeems the provider's code and verifies the
	// ID token, whose nonce must be the round's. wanted names the claims that
	// matter. ErrUnavailable or ErrRejected.
	Identify(ctx context.Context, c Client, r Round, code string, wanted []string) (Identity, error)
	// EndSessionURL returns where to sign out at the provider, or "" when the
	// provider offers no such place. back is where that ends.
	EndSessionURL(ctx context.Context, c Client, back string) (string, error)
}
