// Package vaultserver runs a real HashiCorp Vault for tests (test/tools/vault-server):
// its own core with KV, PKI and AppRole, on loopback, over TLS with its own CA. It
// never outlives the test process, however that ends.
//
// Most tests share one server and have their own mounts on it (Prepared); one that
// seals or stops it starts its own (Start). A Proxy in between loses what a network may
// lose.
package vaultserver
