// Package remote implements the vault's port on a HashiCorp Vault or an OpenBao: KV version 2 and
// PKI over HTTP (specification, "Public PKI endpoints" and "Hardware token device").
//
//	Engine ─▶ session (whose token) ─▶ healthWatch (is it there) ─▶ HTTP
//
// No write is repeated by itself: whether one without an answer happened is the caller's question,
// as the port says. Only two answers cause a retry, since nothing happened before them: an expired
// token (after a new login), and a redirect to the active node. Go's transport repeats reads, and
// the rebuilding of the CRL, if a kept connection turns out to be broken.
//
// The watch: a call without an answer makes the vault suspect, and one probe asks for its health
// while other calls go on. If the probe fails, too, the vault is away: every call is refused at
// once, and the probe goes on alone, ever more rarely, until it is answered.
//
//	there ─no answer─▶ suspect ─probe fails─▶ away
//	  ▲                   │ probe answered      │
//	  └───────────────────┴─────────────────────┘
//
// The session logs in by AppRole, renews its token at two thirds of its lifetime, and logs in again
// when renewals end. A configured token is renewed likewise, as long as the vault allows.
//
// The CAs are the mount's issuers that have a key; the default one signs, by pki/sign/<role>, never
// verbatim but for OCSP signers. A certificate that differs from the request is revoked. The CRLs are
// Vault's own; Keyward has them rebuilt after revocations and every hour. The settings of an issuer put
// its own addresses into certificates, so that each names the list of the CA that signed it.
//
// Not the vendor's client (openbao/api): it repeats requests by itself, reads VAULT_* variables
// from the environment behind the settings' back, and brings a dozen modules, for a few JSON
// requests.
package remote
