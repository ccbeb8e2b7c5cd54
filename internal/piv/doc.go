// Package piv is the vocabulary of PIV tokens: serials, slots, secrets,
// firmware versions, key types and factory values (NIST SP 800-73-4 and
// Yubico's extensions). Server, agent, command line and the virtual token share
// it.
package piv
