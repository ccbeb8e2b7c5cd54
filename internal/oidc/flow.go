package oidc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/keyward/keyward/internal/signon"
	"github.com/keyward/keyward/internal/textinput"
)

// ahead is how far the provider's clock may be ahead of ours.
const ahead = 5 * time.Minute

// maxSubject is generous: section 2 of OpenID Connect Core allows 255.
const maxSubject = 1024

// authTimeClaim asks for the time of authentication (OpenID Connect Core 1.0,
// section 5.5), in every round: a sign-in, too, counts as recent from then. Not
// every provider takes max_age as a request for it.
const authTimeClaim = `{"id_token":{"auth_time":{"essential":true}}}`

func (d *described) config(client signon.Client) oauth2.Config {
	endpoint := d.provider.Endpoint()
	endpoint.AuthStyle = d.style
	if client.Secret.Empty() {
		endpoint.AuthStyle = oauth2.AuthStyleInParams // a public client only names itself
	}
	return oauth2.Config{
		ClientID: client.ID, ClientSecret: client.Secret.Reveal(), Endpoint: endpoint, RedirectURL: client.RedirectURL, Scopes: client.Scopes,
	}
}

// AuthorizationURL implements signon.Provider.
func (c *Connector) AuthorizationURL(ctx context.Context, client signon.Client, r signon.Round) (string, error) {
	d, err := c.get(ctx, client.Issuer)
	if err != nil {
		return "", err
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(r.Nonce), oauth2.S256ChallengeOption(r.Verifier.Reveal())}
	if d.claims {
		options = append(options, oauth2.SetAuthURLParam("claims", authTimeClaim))
	}
	if r.Reauthenticate {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	config := d.config(client)
	return config.AuthCodeURL(r.State, options...), nil
}

// EndSessionURL implements signon.Provider (OpenID Connect RP-Initiated Logout
// 1.0, section 2).
func (c *Connector) EndSessionURL(ctx context.Context, client signon.Client, back string) (string, error) {
	d, err := c.get(ctx, client.Issuer)
	if err != nil || d.endSession == "" {
		return "", err
	}
	u, err := url.Parse(d.endSession)
	if err != nil {
		return "", rejected(err)
	}
	q := u.Query()
	q.Set("client_id", client.ID)
	q.Set("post_logout_redirect_uri", back)
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// Identify implements signon.Provider.
func (c *Connector) Identify(
	ctx context.Context, client signon.Client, r signon.Round, code string, wanted []string,
) (signon.Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, roundTimeout)
	defer cancel()
	d, err := c.get(ctx, client.Issuer)
	if err != nil {
		return signon.Identity{}, err
	}
	ctx = oidc.ClientContext(ctx, c.client)
	config := d.config(client)
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(r.Verifier.Reveal()))
	if err != nil {
		return signon.Identity{}, callFailed(ctx, err)
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return signon.Identity{}, rejected(errors.New("there is no ID token"))
	}
	id, err := c.verify(ctx, d, client, r, raw, token.AccessToken)
	if err != nil {
		return signon.Identity{}, err
	}
	return id, c.complete(ctx, d, &id, token, wanted)
}

// verify checks an ID token (OpenID Connect Core 1.0, section 3.1.3.7).
func (c *Connector) verify(
	ctx context.Context, d *described, client signon.Client, r signon.Round, raw, accessToken string,
) (signon.Identity, error) {
	keys := &watched{KeySet: d.keys}
	verifier := oidc.NewVerifier(d.issuer, keys, &oidc.Config{ClientID: client.ID, SupportedSigningAlgs: d.algorithms, Now: c.now})
	token, err := verifier.Verify(ctx, raw)
	if keys.unreachable != nil {
		return signon.Identity{}, unavailable(keys.unreachable)
	}
	if err != nil {
		return signon.Identity{}, rejected(err)
	}
	claims, err := decode(token)
	if err != nil {
		return signon.Identity{}, rejected(err)
	}
	azp, named := claims["azp"]
	switch {
	case token.Nonce != r.Nonce || r.Nonce == "":
		err = errors.New("the nonce is not this round's")
	case named && azp != client.ID, !named && len(token.Audience) > 1:
		err = errors.New("the authorized party is another one")
	case token.Subject == "" || !textinput.ValidLine(token.Subject, maxSubject):
		err = errors.New("the subject is missing or unusable")
	case token.IssuedAt.After(c.now().Add(ahead)):
		err = errors.New("it was issued in the future")
	case token.AccessTokenHash != "":
		err = token.VerifyAccessToken(accessToken)
	}
	if err != nil {
		return signon.Identity{}, rejected(fmt.Errorf("ID token: %w", err))
	}
	// Accounts are keyed by the configured form of the issuer.
	return signon.Identity{Issuer: client.Issuer, Subject: token.Subject, AuthTime: authTime(claims), Claims: claims}, nil
}

// watched records that a token could not be verified for want of keys: the
// library's verifier hides the kind of its errors.
type watched struct {
	oidc.KeySet
	unreachable error
}

// VerifySignature implements oidc.KeySet.
func (w *watched) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := w.KeySet.VerifySignature(ctx, jwt)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		w.unreachable = failed
	}
	return payload, err
}

type claimer interface{ Claims(v any) error }

// decode keeps numbers as written.
func decode(from claimer) (map[string]any, error) {
	var raw json.RawMessage
	if err := from.Claims(&raw); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	claims := map[string]any{}
	if err := decoder.Decode(&claims); err != nil {
		return nil, err
	}
	return claims, nil
}

func authTime(claims map[string]any) time.Time {
	n, ok := claims["auth_time"].(json.Number)
	if !ok {
		return time.Time{}
	}
	seconds, err := n.Float64()
	if err != nil || seconds <= 0 || seconds > math.MaxInt32*4 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC()
}

// complete fetches the user info when the ID token lacks a wanted claim: many
// providers put only the subject into the token. Claims in the token take
// precedence.
func (c *Connector) complete(ctx context.Context, d *described, id *signon.Identity, token *oauth2.Token, wanted []string) error {
	missing := slices.DeleteFunc(slices.Clone(wanted), func(name string) bool {
		first, _, _ := strings.Cut(name, ".")
		return id.Claims[name] != nil || id.Claims[first] != nil
	})
	if len(missing) == 0 || d.provider.UserInfoEndpoint() == "" {
		return nil
	}
	info, err := d.provider.UserInfo(oidc.ClientContext(ctx, c.strict), oauth2.StaticTokenSource(token))
	if err != nil {
		err = fmt.Errorf("the ID token has no %s, and asking for the user info failed: %w", strings.Join(missing, ", "), err)
		if a, ok := errors.AsType[*answered](err); ok && saysNo(a.Response) {
			return rejected(err)
		}
		return unavailable(err)
	}
	if info.Subject != id.Subject { // section 5.3.2
		return rejected(errors.New("the user info is about another subject"))
	}
	more, err := decode(info)
	if err != nil {
		return rejected(err)
	}
	pairEmail(id.Claims, more)
	for name, v := range more {
		if _, ok := id.Claims[name]; !ok {
			id.Claims[name] = v
		}
	}
	return nil
}

// pairEmail keeps email_verified with the email of the same source: it says
// nothing about the email of the other source.
func pairEmail(token, info map[string]any) {
	const email, verified = "email", "email_verified"
	switch {
	case token[email] == nil && info[email] != nil: // take both from the user info
		delete(token, email)
		delete(token, verified)
	case info[email] != nil && !same(token[email], info[email]):
		delete(info, verified)
	}
}

// same reports whether two claims are the same text.
func same(a, b any) bool {
	x, ok := a.(string)
	y, also := b.(string)
	return ok && also && x == y
}
