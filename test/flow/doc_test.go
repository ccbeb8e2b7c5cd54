// Package flow_test runs the client's flows against the real service (SQLite,
// embedded vault, HTTP edge), the real agent and a virtual card, and cuts them
// at every single interaction: backend calls, agent calls, card commands and
// vault operations, each before it happens and after it happened with the
// answer lost (contract, "A token is never bricked").
package flow_test
