package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
)

const migrateHelp = `Usage: keyward migrate [--check] [--data DIR] [--config FILE]

Brings the database's schema up to date with this program. A server does that
itself when it starts; this does it beforehand, while servers of the version
before run on. What is up to date is left alone. Of PostgreSQL (DATABASE_URL) a
database without any table gets all of them. No vault is needed.

  --check         change nothing; exit code 0 when this program works with the
                  schema as it is, 1 when not, or when there is no database
  --data DIR      the server's data directory (DATA, default "data")
  --config FILE   the server's file of settings (KEYWARD_CONFIG)

The settings come from the same places as those of keyward serve. Exit codes:
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
		_, err = fmt.Fprintf(std.Stdout, "schema version %d: newer than this program's %d, which works with it\n", before.Have, before.Want)
		return err
	case before.Have > before.Want:
		return fmt.Errorf("migrate: the database has schema version %d, newer than this program's %d: use the newer program",
			before.Have, before.Want)
	case *check:
		return fmt.Errorf("migrate: the database has schema version %d, this program's is %d: run keyward migrate", before.Have, before.Want)
	}
	if err := app.Migrate(ctx, cfg); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	_, err = fmt.Fprintf(std.Stdout, "schema version %d: brought up to date from %d\n", before.Want, before.Have)
	return err
}
