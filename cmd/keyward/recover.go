package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/recovery"
)

const recoverHelp = `Usage: keyward recover [--data DIR] [--config FILE]
       keyward recover --accept-older vault [--data DIR] [--config FILE]
       keyward recover --accept-older database --accounts keep|disable [--administrator NAME] [--data DIR] [--config FILE]

For the day on which the database or the vault was put back from a backup or a
snapshot without the other. Without --accept-older it changes nothing: it
compares the two and shows what the older one lacks. Exit code 0 when neither is
older, 1 when one is.

If nobody put anything back, run keyward audit verify first: somebody may have
deleted records. If there is a newer copy of the older one, put that in its place:
then nothing has to be accepted. Otherwise accept what there is. The servers go on
within ten seconds. docs/operations.md tells what to do afterwards.

  --accept-older vault     go on with the older vault. Revocations that it lacked
                           are on its CRL again. It may hold former secrets of
                           tokens: those that it does not open have to be reset
  --accept-older database  go on with the older database. All sessions end and
                           all API keys are revoked, and it may hold people as
                           active who were dismissed since:
  --accounts keep          leave all accounts as they stand there
  --accounts disable       disable all but that of --administrator, the name or
                           email of an active global administrator in it
  --data DIR               the server's data directory (DATA, default "data")
  --config FILE            the server's file of settings (KEYWARD_CONFIG)

It is audited. Run it as the user that the server runs as. The embedded vault
serves one program: stop its server first. With a Vault of your own servers may
run.
`

// recoverCommand is "keyward recover".
func recoverCommand(ctx context.Context, args []string, std IO) error {
	fs := flag.NewFlagSet("recover", flag.ContinueOnError)
	data, file := fs.String("data", "", ""), fs.String("config", "", "")
	want := app.RecoverRequest{Via: "keyward recover" + operator()}
	fs.StringVar(&want.Accept, "accept-older", "", "")
	fs.StringVar(&want.Administrator, "administrator", "", "")
	accounts := fs.String("accounts", "", "")
	if done, err := parse(fs, args, recoverHelp, std); done || err != nil {
		return err
	}
	want.Disable = *accounts == "disable"
	switch {
	case want.Accept != "" && want.Accept != "vault" && want.Accept != "database":
		return usagef("recover: --accept-older takes database or vault")
	case want.Accept == "database" && *accounts != "keep" && *accounts != "disable":
		return usagef("recover: some accounts may be of people who were dismissed since: say with --accounts to keep or disable them")
	case want.Accept != "database" && (*accounts != "" || want.Administrator != ""):
		return usagef("recover: --accounts and --administrator belong to --accept-older database")
	case want.Disable && want.Administrator == "":
		return usagef("recover: name with --administrator the global administrator whose account stays enabled")
	case !want.Disable && want.Administrator != "":
		return usagef("recover: --administrator belongs to --accounts disable")
	}
	cfg, err := settingsOf(config.Serve, *data, *file, std)
	if err != nil {
		return err
	}
	found, err := app.Recover(ctx, cfg, want)
	older := tellOlder(std.Stdout, "vault", found.Vault) + tellOlder(std.Stdout, "database", found.Database)
	switch {
	case err != nil:
		if f, ok := fault.As(err); ok && f.Cause == nil {
			return fmt.Errorf("recover: %s", f.Detail)
		}
		return fmt.Errorf("recover: %w", err)
	case want.Accept != "":
		_, err = fmt.Fprintf(std.Stdout, "The older %s is accepted.\n", want.Accept)
	case older == 0:
		_, err = fmt.Fprintln(std.Stdout, "Neither the database nor the vault is older than the other knows it to be.")
	default:
		err = errors.New("recover: what needs both is held back until that is accepted with --accept-older, or the right one is in its place")
	}
	return err
}

// tellOlder says what a side lacks, and counts it: 1, or 0 when it is not older.
func tellOlder(w io.Writer, side string, f *recovery.Finding) int {
	if f == nil {
		return 0
	}
	fmt.Fprintf(w, "The %s is behind the other side. It lacks:\n", side)
	for _, line := range f.Lines() {
		fmt.Fprintln(w, "  "+line)
	}
	return 1
}
