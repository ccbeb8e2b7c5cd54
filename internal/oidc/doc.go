// Package oidc speaks OpenID Connect with an identity provider: it implements
// signon.Provider.
//
//	Discover, get ──▶ provider's description, kept ten minutes (a day when it does not answer)
//	AuthorizationURL  code flow, PKCE S256, state, nonce
//	Identify          code ─▶ token endpoint ─▶ ID token ─verify─▶ claims (+ user info)
//
// An ID token is accepted when its signature verifies with a key of the
// provider's published set, by an asymmetric algorithm that the provider
// announces, and issuer, audience, authorized party, expiry, nonce and access
// token hash are right (OpenID Connect Core 1.0, section 3.1.3.7). Keys are
// fetched again with the description, and when a token names an unknown one.
//
// Its HTTP client limits time and size, honours the environment's proxy, speaks
// plain http only to loopback, and follows redirects only for a GET within the
// same origin: a code or a client secret is never forwarded.
package oidc
