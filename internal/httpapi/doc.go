// Package httpapi is the backend's edge: it speaks HTTP, authenticates and authorizes
// the caller, and calls the domain. Handlers return errors; only package problem turns
// them into responses.
//
// The path of a request through Server.ServeHTTP:
//
//	request id, client address, security headers
//	  └ path: /api in any case ─▶ CORS ─▶ route ─▶ guard ─▶ body ─▶ handler
//	          /health, probes         │             │
//	          the rest ─▶ web UI      404, 405      1 token  2 session  3 user
//	                                                4 permission  (5 in the handler, by Scope)
//
// Nothing of a body is read before checks 1 to 4 have passed (specification,
// "Authentication", order of checks). Every response carries X-Request-Id, every error
// is an RFC 9457 problem document (contract, "Conventions of every backend operation").
//
// Serve ends in this order: readiness fails, requests are still answered during a
// delay, the listener closes, and running requests are answered.
//
// The operations are in package resource, which registers them with Register;
// api/backend.yaml is generated from their Go types.
package httpapi
