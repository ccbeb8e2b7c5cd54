// Package flow_test runs the flows against the real service (database, vault,
// HTTP edge), the real agent and a virtual card, and cuts them at card commands,
// vault operations, and every call of server or agent that changes something:
// before it happens, and after it happened with the answer lost (contract, "A
// token is never bricked"). On its line a flow is killed there, or lives on: then
// it repeats the call as the product does, or stops.
//
// There are two front ends, the command line's flows (internal/client/flow) and
// the page's (ui/src/flow, in a process of node). What they have to do stands
// in scenarios.json, and both are held to it, call for call.
//
// The service stands on SQLite and the embedded vault, or on what
// KEYWARD_TEST_DATABASE and KEYWARD_TEST_VAULT name, as in all tests.
package flow_test
