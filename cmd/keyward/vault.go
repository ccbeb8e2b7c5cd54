package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
)

const vaultHelp = `Usage: keyward vault setup [--apply] [--credentials DIR] [--shared-mount]
                           [--config FILE]

Prepares HashiCorp Vault or OpenBao for Keyward: secrets engines, a CA unless
there is one, the role that signs, a policy, and an AppRole for the server. It
shows what is lacking, and changes nothing without --apply. If nothing is
lacking, it does nothing.

  --apply            make the changes
  --credentials DIR  also create a secret ID, and write it and the role ID to
                     the files secret_id and role_id there, mode 0600, for
                     VAULT_SECRET_ID_FILE and VAULT_ROLE_ID_FILE; files that
                     still work don't change
  --shared-mount     use a KV mount that holds another program's documents,
                     which is refused otherwise; its settings stay as they are
  --config FILE      the server's settings file (KEYWARD_CONFIG)

A policy or AppRole of that name for other mounts belongs to another
installation: it is refused, and VAULT_ROLE gives this one a name of its own.

It uses these settings: VAULT_ADDR, VAULT_NAMESPACE, VAULT_CACERT, the names of
mounts and role, SITE_URL, which is permanently part of certificates (one on
this machine is refused unless the vault is there, too), and PKI_CA_KEY_TYPE for
a new CA. VAULT_TOKEN, or VAULT_TOKEN_FILE, must be the token of an operator who
can mount engines and write policies; the server never needs it.
`

// vaultCommand is "keyward vault".
func vaultCommand(ctx context.Context, args []string, std IO) error {
	return group(ctx, "vault", vaultHelp, args, std, []command{{"setup", "", vaultSetup}})
}

func vaultSetup(ctx context.Context, args []string, std IO) error {
	fs := flag.NewFlagSet("vault setup", flag.ContinueOnError)
	apply, credentials, file := fs.Bool("apply", false, ""), fs.String("credentials", "", ""), fs.String("config", "", "")
	shared := fs.Bool("shared-mount", false, "")
	if done, err := parse(fs, args, vaultHelp, std); done || err != nil {
		return err
	}
	var more []string
	if *file != "" {
		more = []string{"--config", *file}
	}
	cfg, err := config.LoadFor(config.VaultSetup, more, std.Getenv)
	if err != nil {
		return &UsageError{err.Error()}
	}
	if cfg.VaultAddr == "" {
		return usagef("vault setup: VAULT_ADDR is missing: the address of the vault")
	}
	want := app.VaultSetup{Apply: *apply, Credentials: *credentials, SharedMount: *shared}
	if err := app.SetUpVault(ctx, cfg, want, std.Stdout); err != nil {
		return fmt.Errorf("vault setup: %w", err)
	}
	return nil
}
