// Package middleware is what the HTTP servers share (httpapi, agent, license/server), so
// that all of them refuse the same mistake in the same words: request ids and the context
// of a request (RequestContext), the bounds of bodies (Body), strict JSON and the HTTP
// library's validation of inputs (NewAPI), problem documents (NewProblem), and the answer
// when a handler panics. It knows no routes and no domain; package problem turns faults
// into documents.
package middleware
