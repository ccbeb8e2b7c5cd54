// Package remote is the vault's port on a HashiCorp Vault or an OpenBao: KV
// version 2 and PKI by their HTTP paths (specification, "Public PKI endpoints"
// and "Hardware token device").
//
//	Engine ─▶ session (whose token) ─▶ breaker (is it there) ─▶ HTTP
//
// No write is sent twice by itself: whether one that got no answer happened is
// the caller's question, as the port says. Two answers alone are repeated, since
// nothing happened before them: a token that has ended (after a new login), and
// a redirect to the active node. What only asks, and the rebuilding of the CRL,
// Go's transport repeats when a connection that was kept turns out to be broken.
//
// The breaker. A call that the vault did not answer makes it suspect, and one
// probe asks for its health while others go on. When the probe fails, too, the
// vault is away: every call is refused at once, and the probe goes on alone,
// ever more rarely, until it is answered.
//
//	there ──no answer──▶ suspect ──probe fails──▶ away
//	  ▲                     │ probe answered        │
//	  └─────────────────────┴───────────────────────┘
//
// The session. By AppRole it logs in, renews its token at two thirds of its
// time, and logs in anew when that gives no more time. A token that was given
// is renewed alike, as long as the vault allows.
//
// The PKI signs by pki/sign/<role> and never verbatim. What comes back is held
// against what was asked; a certificate that differs is revoked. The CRL is
// Vault's own; Keyward has it built anew after revocations and every hour.
//
// Not the vendor's client (openbao/api): it repeats requests by itself, takes
// VAULT_* variables from the environment behind the settings' back, and brings
// a dozen modules, for what are a few JSON requests.
package remote
