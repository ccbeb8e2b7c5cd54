// Package crl builds certificate revocation lists (RFC 5280, section 5) of a million entries in a
// fraction of a second: the entries stay encoded, a new list copies those of the last one at once,
// and only the frame and the signature are new.
package crl
