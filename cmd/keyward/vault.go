package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/config"
)

// vaultCommand is "keyward vault".
func vaultCommand(std IO) *cobra.Command {
	return commandline.Group("vault COMMAND", "prepare HashiCorp Vault or OpenBao for Keyward",
		"Prepares HashiCorp Vault or OpenBao for Keyward.", vaultSetupCommand(std))
}

func vaultSetupCommand(std IO) *cobra.Command {
	var want app.VaultSetup
	var at place
	c := commandline.Leaf("setup", "prepare a vault, or show what is lacking",
		`Prepares HashiCorp Vault or OpenBao for Keyward: secrets engines, a CA unless
there is one, the role that signs, a policy, and an AppRole for the server. It
shows what is lacking, and changes nothing without --apply. If nothing is
lacking, it does nothing.

A policy or AppRole of that name for other mounts belongs to another
installation: it is refused, and VAULT_ROLE gives this one a name of its own.

It uses these settings: VAULT_ADDR, VAULT_NAMESPACE, VAULT_CACERT, the names of
mounts and role, SITE_URL and PKI_BASE_URL, which are permanently part of
certificates (a SITE_URL on this machine is refused unless the vault is there,
too), and PKI_CA_KEY_TYPE for a new CA. VAULT_TOKEN, or VAULT_TOKEN_FILE, must be the token of an operator who
can mount engines and write policies; the server never needs it.`,
		func(ctx context.Context) error {
			cfg, err := at.settings(config.VaultSetup, std)
			if err != nil {
				return err
			}
			if cfg.VaultAddr == "" {
				return usagef("vault setup: VAULT_ADDR is missing: the address of the vault")
			}
			if err := app.SetUpVault(ctx, cfg, want, std.Stdout); err != nil {
				return fmt.Errorf("vault setup: %w", err)
			}
			return nil
		})
	commandline.Bool(c, &want.Apply, "apply", "make the changes")
	commandline.Text(c, &want.Credentials, "credentials", "DIR", "also create a secret ID, and write it and the role ID to the "+
		"files secret_id and role_id there, mode 0600, for VAULT_SECRET_ID_FILE and VAULT_ROLE_ID_FILE; run by root, "+
		"they belong to the directory's owner; files that still work don't change")
	commandline.Bool(c, &want.SharedMount, "shared-mount", "use a KV mount that holds another program's documents, which is "+
		"refused otherwise; its settings stay as they are")
	commandline.Text(c, &at.config, "config", "FILE", "the server's settings file (KEYWARD_CONFIG)")
	return c
}
