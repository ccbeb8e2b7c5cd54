// Package vault is the port to the secrets vault: a key-value store with
// versions (the semantics of Vault's KV v2) and a PKI engine. The embedded
// engine keeps both in one encrypted file; a remote engine speaks to OpenBao
// or HashiCorp Vault. One conformance suite, vaulttest, runs against both.
//
// KV: mount "hwkeys" (specification, "Hardware token device"). A path is
// relative to the mount: "12345678/secrets". Keyward's own paths contain an
// underscore, which no token serial may.
//
//	absent --Put(cas 0)--> v1 --Put(cas 1)--> v2 --DestroyPath--> absent
//
// PKI: CAs, of which one signs certificates and all sign their lists; the first is
// self-signed, of 10 years, unless one is imported. The role "keyward" has the settings
// of the specification, "Public PKI endpoints"; other profiles have their own.
package vault
