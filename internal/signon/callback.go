package signon

import (
	"context"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/textinput"
)

// skew is how far the provider's clock may be behind ours.
const skew = 30 * time.Second

// Answer is what the browser brings back from the provider (RFC 6749, section
// 4.1.2; Issuer: RFC 9207).
type Answer struct {
	State  string
	Code   string
	Issuer string // empty: the provider does not send it
	Error  string
	// Description details the error, for the log.
	Description string
}

// maxTold bounds how much of a provider's error is logged.
const maxTold = 300

// told returns the provider's error in a form fit for one log line.
func (a Answer) told() error {
	said := a.Error
	if a.Description != "" {
		said += ": " + a.Description
	}
	bounded := []rune(said)
	return errors.New("the provider answered " + textinput.CleanLine(string(bounded[:min(len(bounded), maxTold)])))
}

// Ended is a completed round. A refused one has no code.
type Ended struct {
	Code           secret.String
	ReturnTo       string
	Reauthenticate bool
}

// Callback ends a round: it checks that this browser began it, redeems and
// verifies the provider's code, finds or creates the account, and returns a
// one-time code for the page. The error is a fault or a *Refusal, which is
// audited unless it is Disabled.
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
		return Ended{}, s.record(ctx, c, audit.Login, account.User{}, err)
	}
	ended := Ended{ReturnTo: state.ReturnTo, Reauthenticate: state.Reauthenticate}
	action := audit.Login
	if state.Reauthenticate {
		action = audit.Reauthenticate
	}
	id, err := s.identify(ctx, set, state, answer, browser)
	if err != nil {
		return ended, s.record(ctx, c, action, account.User{}, err)
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

// identify learns from the provider who signed in.
func (s *Service) identify(ctx context.Context, set Settings, state State, answer Answer, browser secret.String) (Identity, error) {
	switch {
	case state.Issuer != set.Issuer: // the settings have changed
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

// provedAt returns when the person proved their identity; zero: unknown. A
// provider that omits auth_time (optional: OpenID Connect Core 1.0, section 2)
// may have asked for nothing, in a browser already signed in. That proves
// nothing, unless the settings trust it to obey prompt=login. A reported time
// must be of this round (section 3.1.2.1, max_age), and one ahead of our clock
// counts as now.
func (s *Service) provedAt(set Settings, state State, told time.Time) time.Time {
	now := s.Now()
	if told.After(now) || told.IsZero() && state.Reauthenticate && set.TrustPrompt {
		return now
	}
	return told
}

// record audits a refusal and returns it. Other errors, those of the server
// itself, pass through unaudited.
func (s *Service) record(ctx context.Context, c session.Client, action audit.Action, u account.User, err error) error {
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

// by returns an entry about a sign-in; u is zero when the account is unknown.
func by(c session.Client, u account.User, action audit.Action, details string) audit.Entry {
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
