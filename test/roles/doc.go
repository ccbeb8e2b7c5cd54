// Package roles holds the wired server to section 3 of the contract: every
// operation of api/backend.yaml, as everybody, on everybody's things. What is
// expected stands in a table of its own (table_test.go); what is allowed must
// show its effect (effects_test.go).
package roles
