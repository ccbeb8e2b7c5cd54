package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/move"
)

// moveCommand is "keyward move".
func moveCommand(std IO) *cobra.Command {
	var want app.MoveRequest
	var from, file string
	c := commandline.Leaf("move", "move from one machine to PostgreSQL and HashiCorp Vault or OpenBao",
		`Moves an installation on one machine, with its database and vault in --from, to
PostgreSQL and to HashiCorp Vault or OpenBao: everything, including the CA with
its key. Its server must be stopped. The directory doesn't change, except for
the new file moved.json, which keeps servers from starting on it.
docs/moving.md has step-by-step instructions.

It needs the settings DATABASE_URL and VAULT_ADDR, those that go with them, and
SITE_URL, the same as before. The database and the vault's mounts must be empty
or missing. VAULT_TOKEN, or VAULT_TOKEN_FILE, must be an operator's token, as
for keyward vault setup. VAULT_SEAL_KEY or VAULT_SEAL_PASSPHRASE are those of
the old installation, if it had one.

If a move is interrupted, run it again: it continues. Exit codes: 0 done, or
nothing in the way; 1 failed, or something in the way; 2 wrong usage.`,
		func(ctx context.Context) error { return moveInstallation(ctx, want, from, file, std) })
	commandline.Text(c, &from, "from", "DIR", "the old installation's data directory")
	commandline.Bool(c, &want.DryRun, "dry-run", "only show what would be moved, and what is in the way")
	commandline.Text(c, &want.Credentials, "credentials", "DIR", "also create a secret ID for the server, and write it and the "+
		"role ID to files there, as keyward vault setup does")
	commandline.Bool(c, &want.ForgetUnknown, "forget-unknown", "leave behind revocations of certificates that are not on "+
		"record, which Vault cannot put on its CRL")
	commandline.Text(c, &file, "config", "FILE", "the new server's settings file (KEYWARD_CONFIG)")
	return c
}

func moveInstallation(ctx context.Context, want app.MoveRequest, from, file string, std IO) error {
	if from == "" {
		return usagef("move: --from is missing: the data directory to move")
	}
	var err error
	if want.To, err = (&place{config: file}).settings(config.Move, std); err != nil {
		return err
	}
	if want.From, err = (&place{from, file}).settings(config.MoveFrom, std); err != nil {
		return err
	}
	switch {
	case want.To.DatabaseURL.Empty():
		return usagef("move: DATABASE_URL is missing: the PostgreSQL database to move to")
	case want.To.VaultAddr == "":
		return usagef("move: VAULT_ADDR is missing: the vault to move to")
	}
	if loopback.Site(want.To.SiteURL) {
		fmt.Fprintln(std.Stderr, "Certificates will permanently point to this computer: set SITE_URL first.")
	}
	report, err := app.Move(ctx, want, std.Stderr)
	if err != nil {
		return fmt.Errorf("move: %w", err)
	}
	tellMove(std.Stdout, report, want.DryRun)
	if len(report.Obstacles) > 0 {
		return errors.New("move: this can't be moved yet")
	}
	return nil
}

func tellMove(w io.Writer, r move.Report, dry bool) {
	if !r.Before.IsZero() {
		fmt.Fprintf(w, "It was already moved, on %s: there is nothing to do.\n", r.Before.UTC().Format(time.RFC3339))
		return
	}
	for _, item := range r.Setup {
		if dry && len(item.Lacks) > 0 {
			fmt.Fprintf(w, "vault: %s: %s\n", item.Name, strings.Join(item.Lacks, "; "))
		}
	}
	for _, t := range r.Tables {
		fmt.Fprintf(w, "%s: %d\n", t.Table, t.Rows)
	}
	fmt.Fprintf(w, "documents of the vault: %d\n", r.Documents)
	fmt.Fprintf(w, "sealed audit entries: %d in %d batches, head %s\n", r.Audit.Entries, r.Audit.Batches, r.Audit.Head.Hash)
	fmt.Fprintf(w, "revocations: %d; only on record: %d of certificates that have expired, %d of a former CA\n",
		r.Revocations, r.Ended, r.Former)
	if len(r.Unknown) > 0 {
		fmt.Fprintf(w, "revocations that can't be moved: %d: %s\n", len(r.Unknown), strings.Join(r.Unknown, " "))
	}
	fmt.Fprintf(w, "CRL number: above %d\n", r.CRLNumber)
	if r.Revocations > 0 {
		fmt.Fprintln(w, "On the new CRL, all revocations have the time of the move and no reasons; the records keep theirs.")
	}
	for _, err := range r.Obstacles {
		fmt.Fprintf(w, "in the way: %v\n", err)
	}
	if dry {
		fmt.Fprintln(w, "Nothing was changed.")
		return
	}
	fmt.Fprintln(w, "Everything was moved and compared. Start the server with DATABASE_URL and VAULT_ADDR.")
}
