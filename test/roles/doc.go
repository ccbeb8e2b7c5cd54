// Package roles checks the wired server against section 3 of the contract: every
// operation of api/backend.yaml, as everybody, on everybody's things. The expectations
// are in a separate table (table_test.go); what is allowed must show its effect
// (effects_test.go).
package roles
