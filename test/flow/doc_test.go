// Package flow_test runs the flows against the real service (database, vault, HTTP
// edge), the real agent and a virtual card, and cuts them at card commands, vault
// operations, and every changing call of server or agent: before it happens, and after
// it happened with the response lost (contract, "A token is never bricked"). On the
// line, the flow is killed at that point, or lives on: then it repeats the call as the
// product does, or stops.
//
// There are two front ends, the command line's flows (internal/client/flow) and the
// page's (ui/src/flow, in a node process). scenarios.json specifies their behavior, and
// both are compared with it, call for call.
//
// The service uses SQLite and the embedded vault, or the engines named by
// KEYWARD_TEST_DATABASE and KEYWARD_TEST_VAULT, as in all tests.
package flow_test
