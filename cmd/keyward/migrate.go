package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/config"
)

// migrateCommand is "keyward migrate".
func migrateCommand(std IO) *cobra.Command {
	var check bool
	var at *place
	c := commandline.Leaf("migrate", "update the database's schema, or check whether it is up to date",
		`Updates the database's schema to this version. A server does that itself when
it starts; this command does it beforehand, while servers of the previous
version keep running. If the schema is up to date, nothing changes. In an empty
PostgreSQL database (DATABASE_URL), it creates all tables. It needs no vault.

It reads its settings from the same places as keyward serve.`,
		func(ctx context.Context) error { return migrate(ctx, at, check, std) })
	commandline.Bool(c, &check, "check", "change nothing; exit with code 0 if this version works with the schema as it is, "+
		"with 1 if not or if there is no database")
	at = placed(c)
	return c
}

func migrate(ctx context.Context, at *place, check bool, std IO) error {
	cfg, err := at.settings(config.Database, std)
	if err != nil {
		return err
	}
	before, err := app.Schema(ctx, cfg)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	switch {
	case before.Have == before.Want:
		_, err = fmt.Fprintf(std.Stdout, "schema version %d: up to date\n", before.Have)
		return err
	case before.Fits():
		_, err = fmt.Fprintf(std.Stdout, "schema version %d: newer than this program's %d, but compatible\n", before.Have, before.Want)
		return err
	case before.Have > before.Want:
		return fmt.Errorf("migrate: the database has schema version %d, newer than this program's %d: use the newer program",
			before.Have, before.Want)
	case check:
		return fmt.Errorf("migrate: the database has schema version %d, but this program has %d: run keyward migrate", before.Have, before.Want)
	}
	if err := app.Migrate(ctx, cfg); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	_, err = fmt.Fprintf(std.Stdout, "schema version %d: updated from %d\n", before.Want, before.Have)
	return err
}
