// Package piv is the vocabulary of a PIV token: its serial, slots and secrets,
// firmware versions, key types and what a card holds fresh from the factory
// (NIST SP 800-73-4 and Yubico's extensions). Server, agent, command line and
// the virtual token all speak it.
package piv
