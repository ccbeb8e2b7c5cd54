// Package client talks to Keyward's two programs as any independent client would:
// Backend to the service, Agent to the workstation's agent. Its types are those of the
// contracts, in api/backend and api/agent.
//
// A refusal is returned as *Error, which wraps a *fault.Error: test it with fault.Is.
// If a peer does not answer, the error is *Unreachable: the request may or may not have
// happened. Only requests that are harmless when they happen twice are repeated, a few
// times: on a lost connection, and on 429 and 503 with a short Retry-After. A proxy's own
// page that says that Keyward is away counts as Keyward's 503 backend_unavailable.
//
// When a context ends, reading stops at once, but a change that was sent is awaited:
// its outcome is worth the wait.
//
// A token's secrets pass through sealed (RSA-OAEP for the agent's key): this package
// cannot open them. Passwords and a PIN chosen by the user are secret.String; they
// leave only in a request's body.
package client
