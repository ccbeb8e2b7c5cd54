package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/rollback"
)

// recoverCommand is "keyward recover".
func recoverCommand(std IO) *cobra.Command {
	var want app.RecoverRequest
	var accounts string
	var at *place
	c := commandline.Leaf("recover", "after restoring a copy: show what the database or vault lacks, and accept it",
		`For when the database or the vault was restored from a backup or a snapshot
without the other. Without --accept-older, it changes nothing: it compares the
two and shows what the older one lacks. It exits with code 0 if neither is
older, and with 1 if one is.

If nobody restored anything, run keyward audit verify first: someone may have
deleted records. If you have a newer copy of the older one, put it in place:
then you don't have to accept anything. Otherwise accept what you have. Servers
continue within ten seconds. docs/operations.md says what to do afterwards.

Accepting an older vault: revocations that it lacked are put on its CRL again.
It may have outdated secrets: reset tokens that these don't open.

Accepting an older database: all sessions end, all API keys are revoked, and
people who have since left may be active in it. So say what happens to accounts:
--accounts keep leaves them as they are; --accounts disable disables all except
that of --administrator, an active global administrator in it.

The audit log records it. Run it as the same user as the server. Only one
program can open the embedded vault: stop its server first. With a Vault of
your own, servers can keep running.`,
		func(ctx context.Context) error { return recoverOlder(ctx, at, want, accounts, std) })
	c.Example = "  keyward recover\n  keyward recover --accept-older vault\n" +
		"  keyward recover --accept-older database --accounts disable --administrator alex"
	commandline.OneOf(c, &want.Accept, "accept-older", "SIDE", "continue with the older vault or database", "vault", "database")
	commandline.OneOf(c, &accounts, "accounts", "ANSWER", "with an older database: keep or disable the accounts", "keep", "disable")
	commandline.Text(c, &want.Administrator, "administrator", "NAME", "the username or email of the account to keep")
	at = placed(c)
	return c
}

func recoverOlder(ctx context.Context, at *place, want app.RecoverRequest, accounts string, std IO) error {
	want.Disable = accounts == "disable"
	switch {
	case want.Accept == "database" && accounts == "":
		return usagef("recover: some accounts may belong to people who were dismissed since: use --accounts to keep or disable them")
	case want.Accept != "database" && (accounts != "" || want.Administrator != ""):
		return usagef("recover: --accounts and --administrator work only with --accept-older database")
	case want.Disable && want.Administrator == "":
		return usagef("recover: --administrator must name the global administrator whose account stays enabled")
	case !want.Disable && want.Administrator != "":
		return usagef("recover: --administrator works only with --accounts disable")
	}
	cfg, err := at.settings(config.Serve, std)
	if err != nil {
		return err
	}
	want.Via = "keyward recover" + operator()
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
