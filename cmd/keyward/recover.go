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
	"github.com/keyward/keyward/internal/rollback"
)

const recoverHelp = `Usage: keyward recover [--data DIR] [--config FILE]
       keyward recover --accept-older vault [--data DIR] [--config FILE]
       keyward recover --accept-older database --accounts keep|disable [--administrator NAME] [--data DIR] [--config FILE]

For when the database or the vault was restored from a backup or a snapshot
without the other. Without --accept-older, it changes nothing: it compares the
two and shows what the older one lacks. It exits with code 0 if neither is
older, and with 1 if one is.

If nobody restored anything, run keyward audit verify first: someone may have
deleted records. If you have a newer copy of the older one, put it in place:
then you don't have to accept anything. Otherwise accept what you have. Servers
continue within ten seconds. docs/operations.md says what to do afterwards.

  --accept-older vault     continue with the older vault. Revocations that it
                           lacked are put on its CRL again. It may have outdated
                           secrets: reset tokens that these don't open
  --accept-older database  continue with the older database. All sessions end,
                           all API keys are revoked, and people who have since
                           left may be active in it:
  --accounts keep          leave all accounts as they are
  --accounts disable       disable all except that of --administrator, the name
                           or email of an active global administrator in it
  --data DIR               the server's data directory (DATA, default "data")
  --config FILE            the server's settings file (KEYWARD_CONFIG)

The audit log records it. Run it as the same user as the server. Only one
program can open the embedded vault: stop its server first. With a Vault of
your own, servers can keep running.
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
		return usagef("recover: --accept-older must be database or vault")
	case want.Accept == "database" && *accounts != "keep" && *accounts != "disable":
		return usagef("recover: some accounts may belong to people who were dismissed since: use --accounts to keep or disable them")
	case want.Accept != "database" && (*accounts != "" || want.Administrator != ""):
		return usagef("recover: --accounts and --administrator work only with --accept-older database")
	case want.Disable && want.Administrator == "":
		return usagef("recover: --administrator must name the global administrator whose account stays enabled")
	case !want.Disable && want.Administrator != "":
		return usagef("recover: --administrator works only with --accounts disable")
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
		_, err = fmt.Fprintf(std.Stdout, "The older %s was accepted.\n", want.Accept)
	case older == 0:
		_, err = fmt.Fprintln(std.Stdout, "Neither the database nor the vault is older than the other expects.")
	default:
		err = errors.New("recover: secrets and signatures are on hold until you accept it with --accept-older, or put the " +
			"right one in its place")
	}
	return err
}

// tellOlder prints what a side lacks, and returns 1, or 0 when it is not older.
func tellOlder(w io.Writer, side string, f *rollback.Finding) int {
	if f == nil {
		return 0
	}
	fmt.Fprintf(w, "The %s is behind the other side. It lacks:\n", side)
	for _, line := range f.Lines() {
		fmt.Fprintln(w, "  "+line)
	}
	return 1
}
