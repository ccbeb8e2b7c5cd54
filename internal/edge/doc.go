// Package edge is what the backend's and the agent's HTTP servers have in
// common, so that the same mistake is refused in the same words by both: the
// request's id, the bounds of a body and its strict JSON, problem documents,
// what the HTTP library finds wrong with an input, and the guard against a
// handler's panic.
package edge
