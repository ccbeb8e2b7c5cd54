// Package oidc speaks OpenID Connect with an identity provider: it implements
// signon.Provider.
//
//	Discover, get ──▶ provider's description, kept ten minutes (a day when it does not answer)
//	AuthorizationURL  code flow, PKCE S256, state, nonce
//	Identify          code ─▶ token endpoint ─▶ ID token ─verify─▶ claims (+ user info)
//
// An ID token is believed when its signature fits a key of the provider's
// published set, by an asymmetric algorithm that the provider announces, and
// when issuer, audience, authorized party, expiry, nonce and access token hash
// are right (OpenID Connect Core 1.0, section 3.1.3.7). Keys are fetched anew
// when a token names one that is not known, and with the description.
//
// Its HTTP client has time and size limits, honours the environment's proxy,
// speaks plain http to this machine only, and follows a redirect only when a
// GET stays at the origin that it was sent to: a code or a client secret is
// never sent on.
package oidc
