// Package middleware is shared by the backend's and the agent's HTTP servers, so that
// both refuse the same mistake in the same words: request ids, the bounds of
// bodies and their strict JSON, problem documents, the HTTP library's input
// validation, and the guard against panics of handlers.
package middleware
