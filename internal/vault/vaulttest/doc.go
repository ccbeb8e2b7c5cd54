// Package vaulttest is the conformance suite of package vault's port. Every
// engine passes it: the embedded one, and a remote OpenBao or HashiCorp Vault
// (KV v2 and PKI) alike. What only some engines can do is a capability that
// the Harness declares; a case that needs it is not run for the others.
//
// Expectations are written by hand from the port's comments, the
// specification ("Public PKI endpoints") and RFC 5280; certificates and CRLs
// are read by crypto/x509 and by the openssl command, which must be
// installed.
package vaulttest
