package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
)

const migrateHelp = `Usage: keyward migrate [--check] [--data DIR] [--config FILE]

Updates the database's schema to this version. A server does that itself when
it starts; this command does it beforehand, while servers of the previous
version keep running. If the schema is up to date, nothing changes. In an empty
PostgreSQL database (DATABASE_URL), it creates all tables. It needs no vault.

  --check         change nothing; exit with code 0 if this version works with
                  the schema as it is, with 1 if not or if there is no database
  --data DIR      the server's data directory (DATA, default "data")
  --config FILE   the server's settings file (KEYWARD_CONFIG)

It reads its settings from the same places as keyward serve. Exit codes:
0 done, 1 failed, 2 wrong usage.
`

// migrateCommand is "keyward migrate".
func migrateCommand(ctx context.Context, args []string, std IO) error {
	fs := flag.NewFlagSet("migrate", flag.ContinueOnError)
	data, file := fs.String("data", "", ""), fs.String("config", "", "")
	check := fs.Bool("check", false, "")
	if done, err := parse(fs, args, migrateHelp, std); done || err != nil {
		return err
	}
	cfg, err := settingsOf(config.Database, *data, *file, std)
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
	case *check:
		return fmt.Errorf("migrate: the database has schema version %d, but this program has %d: run keyward migrate", before.Have, before.Want)
	}
	if err := app.Migrate(ctx, cfg); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	_, err = fmt.Fprintf(std.Stdout, "schema version %d: updated from %d\n", before.Want, before.Have)
	return err
}
