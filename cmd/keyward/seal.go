package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/config"
)

// sealCommand is "keyward seal".
func sealCommand(std IO) *cobra.Command {
	return commandline.Group("seal COMMAND", "change the seal key of the embedded vault",
		`The seal key opens the embedded vault. It is in the file seal.key of the data
directory, unless the settings say otherwise.`, sealRotate(std))
}

func sealRotate(std IO) *cobra.Command {
	var at *place
	c := commandline.Leaf("rotate", "give the embedded vault a new seal key",
		`Makes a new seal key, wraps the vault's own key under it, and removes the
former one. A running server keeps running. If the command is interrupted, run
it again: the vault always opens with what seal.key holds.

Copies of the vault's file that were made before open only with the former key,
so make new ones. Keyward's own backups don't depend on it.

If the seal key is a setting (VAULT_SEAL_KEY_FILE, VAULT_SEAL_PASSPHRASE_FILE),
the command says how to change it.`+asServer,
		func(ctx context.Context) error {
			cfg, err := at.settings(config.Serve, std)
			if err != nil {
				return err
			}
			if err := app.RotateSeal(ctx, cfg, "keyward seal rotate"+operator()); err != nil {
				return fmt.Errorf("seal rotate: %w", err)
			}
			_, err = fmt.Fprintln(std.Stdout, "The vault has a new seal key.")
			return err
		})
	at = placed(c)
	return c
}

func adminRenew(std IO) *cobra.Command {
	var at *place
	c := commandline.Leaf("renew-access-tokens", "make all access tokens void",
		`Has all servers make a new secret for access tokens, for example because
someone may have read the former one. It takes effect within seconds, or as soon
as the servers reach their vault. Pages and commands get new access tokens by
themselves, so people stay signed in.`+asServer,
		func(ctx context.Context) error {
			cfg, err := at.settings(config.Database, std)
			if err != nil {
				return err
			}
			if err := app.RenewAccessTokens(ctx, cfg, "keyward admin renew-access-tokens"+operator()); err != nil {
				return fmt.Errorf("admin renew-access-tokens: %w", err)
			}
			_, err = fmt.Fprintln(std.Stdout, "The servers make a new secret for access tokens.")
			return err
		})
	at = placed(c)
	return c
}
