// Package httpapi is the backend's edge: it speaks HTTP, checks who asks and
// what they may, and calls the domain. Handlers return errors; package problem
// alone turns them into answers.
//
// The way of a request through Server.ServeHTTP:
//
//	request id, client address, security headers
//	  └ path: /api in any case ─▶ CORS ─▶ route ─▶ guard ─▶ body ─▶ handler
//	          /health, probes         │             │
//	          the rest ─▶ web UI      404, 405      1 token  2 session  3 user
//	                                                4 permission  (5 in the handler, by Scope)
//
// Nothing of a body is read before checks 1 to 4 have passed (specification,
// "Authentication", order of checks). Every answer carries X-Request-Id, every
// error is an RFC 9457 problem document (contract, "Conventions of every
// backend operation").
//
// Serve ends in this order: readiness fails, a delay passes in which everything
// is answered, the listener closes, and what is under way gets its answer.
//
// The operations themselves are in package resource, which registers them here
// by Register; api/backend.yaml is made from their Go types.
package httpapi
