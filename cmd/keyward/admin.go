package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	osuser "os/user"
	"strings"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

const adminHelp = `Usage: keyward admin COMMAND [flags]

For when nobody can sign in. Works on the server's data directory, on the
server's computer, whether or not the server is running. The audit log records
every use.

  create-admin     create a global administrator
  reset-password   give an account a new password
  unlock           clear an account's failed sign-ins

For more, run keyward admin COMMAND --help.
`

// dataHelp ends the help of every admin command.
const dataHelp = `
  --data DIR      the server's data directory (DATA, default "data")
  --config FILE   the server's settings file (KEYWARD_CONFIG)

Run it as the same user as the server. It reads its settings from the same
places as keyward serve.
`

// adminCommand is "keyward admin".
func adminCommand(ctx context.Context, args []string, std IO) error {
	return group(ctx, "admin", adminHelp, args, std, []command{
		{"create-admin", "", adminCreate}, {"reset-password", "", adminReset}, {"unlock", "", adminUnlock},
	})
}

const adminCreateHelp = `Usage: keyward admin create-admin --username U --email E [flags]

Creates a global administrator. Prints a random password once, on standard
output; it must be changed at the first sign-in.

  --username U       the new account's name
  --email E          its email
  --password-stdin   read the password from the first line of standard input;
                     it must be changed at the first sign-in, too
` + dataHelp

func adminCreate(ctx context.Context, args []string, std IO) error {
	r := newRescue("create-admin", std)
	email := r.flags.String("email", "", "")
	given := r.flags.Bool("password-stdin", false, "")
	return r.run(ctx, args, adminCreateHelp, func(accounts *account.Rescue) error {
		if *email == "" {
			return usagef("admin create-admin: --email is missing")
		}
		pw, err := r.password(*given)
		if err != nil {
			return err
		}
		u, made, err := accounts.CreateAdmin(ctx, r.username, *email, pw)
		if err != nil {
			return err
		}
		return r.show(fmt.Sprintf("%s is now a global administrator.", u.Username), pw, made)
	})
}

const adminResetHelp = `Usage: keyward admin reset-password --username U [flags]

Gives an account a new password, ends its sessions and lifts a lockout. Prints
a random password once, on standard output; it must be changed at the next
sign-in. Global administrators can always sign in with a password at
/admin-login, even if everyone else uses single sign-on.

  --username U       username or email of the account
  --activate         enable the account if it is disabled
  --password-stdin   read the password from the first line of standard input;
                     it must be changed at the next sign-in, too
` + dataHelp

func adminReset(ctx context.Context, args []string, std IO) error {
	r := newRescue("reset-password", std)
	activate := r.flags.Bool("activate", false, "")
	given := r.flags.Bool("password-stdin", false, "")
	return r.run(ctx, args, adminResetHelp, func(accounts *account.Rescue) error {
		pw, err := r.password(*given)
		if err != nil {
			return err
		}
		u, made, err := accounts.ResetPassword(ctx, r.username, pw, *activate)
		if err != nil {
			return err
		}
		switch {
		case !u.IsActive:
			fmt.Fprintln(std.Stderr, "Note: this account is disabled. To enable it, run this again with --activate.")
		case u.OrganizationDisabled:
			fmt.Fprintln(std.Stderr, "Note: the organization of this account is disabled, so none of its members can sign in.")
		}
		return r.show(fmt.Sprintf("%s has a new password, and its sessions have ended.", u.Username), pw, made)
	})
}

const adminUnlockHelp = `Usage: keyward admin unlock --username U [flags]

Clears an account's failed sign-ins, so that the person can try again
immediately.

  --username U    username or email of the account
` + dataHelp

func adminUnlock(ctx context.Context, args []string, std IO) error {
	r := newRescue("unlock", std)
	return r.run(ctx, args, adminUnlockHelp, func(accounts *account.Rescue) error {
		u, err := accounts.Unlock(ctx, r.username)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(std.Stdout, "%s is unlocked.\n", u.Username)
		return err
	})
}

// rescue is what the admin commands share.
type rescue struct {
	name                   string
	std                    IO
	flags                  *flag.FlagSet
	username, data, config string
}

func newRescue(name string, std IO) *rescue {
	r := &rescue{name: name, std: std, flags: flag.NewFlagSet("admin "+name, flag.ContinueOnError)}
	r.flags.StringVar(&r.username, "username", "", "")
	r.flags.StringVar(&r.data, "data", "", "")
	r.flags.StringVar(&r.config, "config", "", "")
	return r
}

// run parses the command line, opens the accounts and works on them.
func (r *rescue) run(ctx context.Context, args []string, help string, work func(*account.Rescue) error) (err error) {
	if done, err := parse(r.flags, args, help, r.std); done || err != nil {
		return err
	}
	if r.username == "" {
		return usagef("admin %s: --username is missing", r.name)
	}
	cfg, err := settingsOf(config.Database, r.data, r.config, r.std)
	if err != nil {
		return err
	}
	accounts, done, err := app.OpenRescue(ctx, cfg, "keyward admin "+r.name+operator())
	if err != nil {
		return fmt.Errorf("admin %s: %w", r.name, err)
	}
	defer func() { err = errors.Join(err, done()) }()
	return r.plain(work(accounts))
}

// plain returns a fault's own text; invalid input is wrong usage.
func (r *rescue) plain(err error) error {
	f, ok := fault.As(err)
	if !ok || f.Cause != nil {
		return err
	}
	var wrong []string
	for _, field := range f.Fields {
		wrong = append(wrong, field.Field+" "+field.Message)
	}
	switch f.Code {
	case fault.InvalidRequest:
		return usagef("admin %s: --%s", r.name, strings.Join(wrong, "; --"))
	case fault.PasswordPolicy:
		return fmt.Errorf("admin %s: the %s", r.name, strings.Join(wrong, "; the "))
	default:
		return fmt.Errorf("admin %s: %s", r.name, f.Detail)
	}
}

// operator returns the operating system's name of the current user.
func operator() string {
	u, err := osuser.Current()
	if err != nil {
		return fmt.Sprintf(", as user %d", os.Getuid())
	}
	return ", as user " + u.Username
}

// password reads the first line of standard input, if given.
func (r *rescue) password(given bool) (secret.String, error) {
	if !given {
		return secret.String{}, nil
	}
	in := &signIn{std: r.std, lines: bufio.NewReaderSize(r.std.Stdin, maxSecret)}
	pw, err := in.secret("", "New password")
	if err == nil && pw.Empty() {
		err = usagef("admin %s: the first line of standard input is empty", r.name)
	}
	return pw, err
}

// show reports what was done. A generated password is the only line of standard output,
// so that a script can read it; a given one is not repeated.
func (r *rescue) show(text string, given, made secret.String) error {
	if !given.Empty() {
		_, err := fmt.Fprintln(r.std.Stdout, text)
		return err
	}
	fmt.Fprintf(r.std.Stderr, "%s The password, shown once, must be changed at the next sign-in:\n", text)
	_, err := fmt.Fprintln(r.std.Stdout, made.Reveal())
	return err
}
