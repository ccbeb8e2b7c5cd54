package main

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/keyward/keyward/test/vaultserver"
)

// remoteVault is "vault": a real unprepared Vault at $VAULT_ADDR, with an operator's
// token in the file $VAULT_TOKEN_FILE and names that no other script uses.
func remoteVault(ts *testscript.TestScript, _ bool, _ []string) {
	server, err := vaultserver.Open()
	ts.Check(err)
	o := server.Operator()
	ts.Check(os.WriteFile(ts.MkAbs("vault-ca.pem"), server.CACert, 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("operator"), []byte(server.Root+"\n"), 0o600))
	for name, value := range map[string]string{
		"VAULT_ADDR": server.Address, "VAULT_CACERT": ts.MkAbs("vault-ca.pem"), "VAULT_TOKEN_FILE": ts.MkAbs("operator"),
		"VAULT_KV_MOUNT": o.Mounts.KV, "VAULT_PKI_MOUNT": o.Mounts.PKI, "VAULT_ROLE": o.Mounts.Role, "PKI_CA_KEY_TYPE": "ec-p256",
	} {
		ts.Setenv(name, value)
	}
}
