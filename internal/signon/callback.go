package signon

import (
	"context"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/oneline"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/user"
)

// skew is by how much the provider's clock may be behind ours.
const skew = 30 * time.Second

// Answer is what the browser brings back from the provider (RFC 6749, section
// 4.1.2; the issuer is RFC 9207's).
type Answer struct {
	State  string
	Code   string
	Issuer string // empty: the provider does not tell
	Error  string
	// Description says more of the error, for the log.
	Description string
}

// maxTold bounds what the log repeats of a provider's error.
const maxTold = 300

// told is the provider's error as a line of the log may have it.
func (a Answer) told() error {
	said := a.Error
	if a.Description != "" {
		said += ": " + a.Description
	}
	bounded := []rune(said)
	return errors.New("the provider answered " + oneline.Clean(string(bounded[:min(len(bounded), maxTold)])))
}

// Ended is a round that has come back. A refused one has no code.
type Ended struct {
	Code           secret.String
	ReturnTo       string
	Reauthenticate bool
}

// Callback ends a round: it checks that this browser began it, has the
// provider's code redeemed and verified, finds or makes the account, and gives
// a one-time code for the page. A *Refusal, which is audited, or a fault.
func (s *Service) Callback(ctx context.Context, c session.Client, answer Answer, browser secret.String) (Ended, error) {
	set, err := s.Load(ctx)
	if err != nil {
		return Ended{}, err
	}
	if !set.Enabled {
		return Ended{}, refuse(Disabled, nil)
	}
	now := s.Now()
	state, err := s.Store.TakeState(ctx, secret.New(answer.State).Hash(), browser.Hash(), now)
	if fault.Is(err, fault.NotFound) {
		err = refuse(StateInvalid, nil)
	}
	if err != nil {
		return Ended{}, s.record(ctx, c, audit.Login, user.User{}, err)
	}
	ended := Ended{ReturnTo: state.ReturnTo, Reauthenticate: state.Reauthenticate}
	action := audit.Login
	if state.Reauthenticate {
		action = audit.Reauthenticate
	}
	id, err := s.identify(ctx, set, state, answer, browser)
	if err != nil {
		return ended, s.record(ctx, c, action, user.User{}, err)
	}
	u, err := s.admit(ctx, c, set, id, state.Reauthenticate)
	if err != nil {
		return ended, s.record(ctx, c, action, u, err)
	}
	code, err := secret.Random()
	if err != nil {
		return ended, err
	}
	err = s.Store.AddCode(ctx, Code{
		Hash: code.Hash(), BrowserHash: state.BrowserHash, UserID: u.ID, AuthTime: id.AuthTime,
		Reauthenticate: state.Reauthenticate, CreatedAt: s.Now(), ExpiresAt: s.Now().Add(CodeLife),
	})
	ended.Code = code
	return ended, err
}

// identify asks the provider who came back.
func (s *Service) identify(ctx context.Context, set Settings, state State, answer Answer, browser secret.String) (Identity, error) {
	switch {
	case state.Issuer != set.Issuer: // the settings changed meanwhile
		return Identity{}, refuse(StateInvalid, nil)
	case answer.Issuer != "" && answer.Issuer != set.Issuer:
		return Identity{}, refuse(Rejected, errors.New("the answer names another issuer (RFC 9207)"))
	case answer.Error == "access_denied":
		return Identity{}, refuse(Cancelled, answer.told())
	case answer.Error != "":
		return Identity{}, refuse(Rejected, answer.told())
	case answer.Code == "":
		return Identity{}, refuse(Rejected, errors.New("the provider answered with neither a code nor an error"))
	}
	client := s.client(set)
	var err error
	if client.Secret, err = s.keep().Get(ctx, set.SecretID); err != nil {
		return Identity{}, err
	}
	id, err := s.Provider.Identify(ctx, client, round(browser, answer.State, state.Reauthenticate), answer.Code, set.wanted())
	switch {
	case errors.Is(err, ErrUnavailable):
		return Identity{}, refuse(ProviderUnavailable, err)
	case errors.Is(err, ErrRejected):
		return Identity{}, refuse(Rejected, err)
	case err != nil:
		return Identity{}, err
	}
	id.AuthTime = s.provedAt(set, state, id.AuthTime)
	if state.Reauthenticate && id.AuthTime.Before(state.CreatedAt.Add(-skew)) {
		return Identity{}, refuse(NotFresh, nil)
	}
	return id, nil
}

// provedAt is when the person proved who they are; zero: nobody knows. A
// provider that does not tell (auth_time is optional: OpenID Connect Core 1.0,
// section 2) may have asked for nothing, in a browser that stands open: that
// proves nothing, unless the settings trust that it asks where it is told to
// (prompt=login). What it does tell must be of this round (section 3.1.2.1,
// max_age), and a clock ahead of ours makes nothing more recent than now.
func (s *Service) provedAt(set Settings, state State, told time.Time) time.Time {
	now := s.Now()
	if told.After(now) || told.IsZero() && state.Reauthenticate && set.TrustPrompt {
		return now
	}
	return told
}

// record writes a refusal to the audit log and returns it. Other errors, those
// of the server itself, pass.
func (s *Service) record(ctx context.Context, c session.Client, action audit.Action, u user.User, err error) error {
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok {
		return err
	}
	if refusal.Cause != nil {
		s.Log.Warn("single sign-on was rejected", "reason", string(refusal.Reason), "error", refusal.Cause, "request_id", c.RequestID)
	}
	entry := by(c, u, action, explanations[refusal.Reason]).As(audit.Failure)
	if written := s.Audit.AppendAudit(ctx, entry); written != nil {
		return written
	}
	return err
}

// by is an entry about a sign-in; u may be nobody.
func by(c session.Client, u user.User, action audit.Action, details string) audit.Entry {
	e := audit.Entry{
		Action: action, Outcome: audit.Success, Actor: u.Username, OrganizationID: u.OrganizationID,
		TargetType: "user", IPAddress: c.IPAddress, RequestID: c.RequestID, Details: "method oidc: " + details,
	}
	if u.ID == 0 {
		e.Actor = "unknown"
		return e
	}
	e.TargetID = audit.ID(u.ID)
	return e
}
