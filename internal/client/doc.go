// Package client speaks to Keyward's two programs as any independent client
// would: Backend to the service, Agent to the workstation's agent. Its types
// are those that stand beside the contracts, in api/backend and api/agent.
//
// A refusal comes back as *Error, which wraps a *fault.Error: test it with
// fault.Is. A peer that gave no answer comes back as *Unreachable: the
// request may or may not have happened. Only requests that do no harm when
// they happen twice are repeated, a few times, on a lost connection and on
// 429 and 503 with a short Retry-After.
//
// A context that ends stops reading at once, but a change that was sent is
// awaited: its outcome is worth more than a second.
//
// Secrets of a token pass through as sealed texts (RSA-OAEP for the agent's
// key): this package cannot open them. Passwords and a PIN that somebody
// chose are secret.String; they leave in a request's body alone.
package client
