package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
)

// command is a row of the table of subcommands.
type command struct {
	name    string
	summary string // empty: not listed
	run     func(ctx context.Context, args []string, std IO) error
}

// commands is every subcommand.
func commands() []command {
	return []command{
		{"serve", "run the whole service in one process", serve},
		{"backend", "serve the API only, behind any number of frontends", backend},
		{"frontend", "serve the web pages only, in front of a backend elsewhere", frontend},
		{"license", "serve the license only, for backends on other machines", licenseCommand},
		{"token", "set up, unblock and renew tokens, set their PINs; register and list them", tokenCommand},
		{"user", "create accounts, change emails", userCommand},
		{"agents", "list and remove the workstation agents that you have paired", agentsCommand},
		{"admin", "when nobody can sign in: create an administrator, reset a password, unlock", adminCommand},
		{"passwd", "change your own password", passwdCommand},
		{"migrate", "update the database's schema, or check whether it is up to date", migrateCommand},
		{"backup", "create an encrypted backup, test one, or print where they are", backupCommand},
		{"restore", "restore a backup, onto a bare server or a stopped installation", restoreCommand},
		{"recover", "after restoring a copy: show what the database or vault lacks, and accept it", recoverCommand},
		{"audit", "verify that nobody changed the audit log", auditCommand},
		{"vault", "prepare HashiCorp Vault or OpenBao for Keyward", vaultCommand},
		{"move", "move from one machine to PostgreSQL and HashiCorp Vault or OpenBao", moveCommand},
		{"healthcheck", "ask a running server for its health; exit 0 if it serves", healthcheck},
		{"version", "print the version", printVersion},
		{"openapi", "", writeOpenAPI},
		{"configuration", "", writeConfiguration},
	}
}

// UsageError is a wrong command line.
type UsageError struct{ text string }

// Error says what is wrong.
func (e *UsageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// Run executes one command line and returns the exit code. A command that serves
// returns when ctx ends.
func Run(ctx context.Context, args []string, std IO) int {
	err := dispatch(ctx, args, std)
	if err == nil {
		return 0
	}
	fmt.Fprintln(std.Stderr, "keyward:", err)
	if _, ok := errors.AsType[*UsageError](err); ok {
		fmt.Fprintln(std.Stderr, "Try: keyward help")
		return 2
	}
	return 1
}

func dispatch(ctx context.Context, args []string, std IO) error {
	if len(args) == 0 {
		return usagef("a command is missing")
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		return manual(std.Stdout)
	case "-version", "--version":
		return printVersion(ctx, nil, std)
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(ctx, args[1:], std)
		}
	}
	return usagef("there is no such command")
}

func manual(w io.Writer) error {
	fmt.Fprint(w, "Keyward manages hardware tokens, their secrets and their certificates.\n\nUsage: keyward COMMAND [flags]\n\n")
	for _, c := range commands() {
		if c.summary != "" {
			fmt.Fprintf(w, "  %-12s %s\n", c.name, c.summary)
		}
	}
	fmt.Fprint(w, "\nFor more, run keyward COMMAND --help. Exit codes: 0 done, 1 failed, 2 wrong usage.\n")
	return nil
}

// parse parses flags that allow no arguments. done is true when the help was requested
// and printed.
func parse(fs *flag.FlagSet, args []string, help string, std IO) (done bool, err error) {
	fs.SetOutput(io.Discard)
	err = fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err = io.WriteString(std.Stdout, help)
		return true, err
	case err != nil:
		return false, usagef("%s: %v", fs.Name(), err)
	case fs.NArg() > 0:
		return false, usagef("%s takes no arguments", fs.Name())
	}
	return false, nil
}

func printVersion(_ context.Context, args []string, std IO) error {
	if len(args) > 0 {
		return usagef("version takes no arguments")
	}
	_, err := fmt.Fprintln(std.Stdout, "keyward", version)
	return err
}
