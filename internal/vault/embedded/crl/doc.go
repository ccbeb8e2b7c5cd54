// Package crl builds certificate revocation lists (RFC 5280, section 5) of a
// million entries in a fraction of a second: the entries stay encoded, a new
// list takes over those of the last one with one copy, and only the frame and
// the signature are made anew.
package crl
