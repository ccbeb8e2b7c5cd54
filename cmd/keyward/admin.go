package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	osuser "os/user"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// adminCommand is "keyward admin".
func adminCommand(std IO) *cobra.Command {
	return commandline.Group("admin COMMAND", "when nobody can sign in: create an administrator, reset a password, unlock",
		`For when nobody can sign in, or everybody must anew. Works on the server's data
directory, on the server's computer, whether or not the server is running. The
audit log records every use.`, adminCreate(std), adminReset(std), adminUnlock(std), adminRenew(std))
}

// asServer ends the description of every admin command.
const asServer = "\n\nRun it as the same user as the server. It reads its settings from the same\nplaces as keyward serve."

func adminCreate(std IO) *cobra.Command {
	r := &rescue{name: "create-admin", std: std}
	var email string
	var given bool
	c := r.command("create a global administrator",
		`Creates a global administrator. Prints a random password once, on standard
output; it must be changed at the first sign-in.`,
		func(ctx context.Context, accounts *account.Rescue) error {
			if email == "" {
				return usagef("admin create-admin: --email is missing")
			}
			pw, err := r.password(given)
			if err != nil {
				return err
			}
			u, made, err := accounts.CreateAdmin(ctx, r.username, email, pw)
			if err != nil {
				return err
			}
			return r.show(fmt.Sprintf("%s is now a global administrator.", u.Username), pw, made)
		})
	commandline.Text(c, &r.username, "username", "NAME", "the new account's name")
	commandline.Text(c, &email, "email", "EMAIL", "its email")
	commandline.Bool(c, &given, "password-stdin", "read the password from the first line of standard input; it must be changed "+
		"at the first sign-in, too")
	r.place = placed(c)
	return c
}

func adminReset(std IO) *cobra.Command {
	r := &rescue{name: "reset-password", std: std}
	var activate, given bool
	c := r.command("give an account a new password",
		`Gives an account a new password, ends its sessions and lifts a lockout. Prints
a random password once, on standard output; it must be changed at the next
sign-in. Global administrators can always sign in with a password at
/admin-login, even if everyone else uses single sign-on.`,
		func(ctx context.Context, accounts *account.Rescue) error {
			pw, err := r.password(given)
			if err != nil {
				return err
			}
			u, made, err := accounts.ResetPassword(ctx, r.username, pw, activate)
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
	commandline.Text(c, &r.username, "username", "NAME", "username or email of the account")
	commandline.Bool(c, &activate, "activate", "enable the account if it is disabled")
	commandline.Bool(c, &given, "password-stdin", "read the password from the first line of standard input; it must be changed "+
		"at the next sign-in, too")
	r.place = placed(c)
	return c
}

func adminUnlock(std IO) *cobra.Command {
	r := &rescue{name: "unlock", std: std}
	c := r.command("clear an account's failed sign-ins",
		"Clears an account's failed sign-ins, so that the person can try again\nimmediately.",
		func(ctx context.Context, accounts *account.Rescue) error {
			u, err := accounts.Unlock(ctx, r.username)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.Stdout, "%s is unlocked.\n", u.Username)
			return err
		})
	commandline.Text(c, &r.username, "username", "NAME", "username or email of the account")
	r.place = placed(c)
	return c
}

// rescue is what the admin commands share.
type rescue struct {
	name     string
	std      IO
	username string
	place    *place
}

// command opens the accounts and works on them.
func (r *rescue) command(short, long string, work func(context.Context, *account.Rescue) error) *cobra.Command {
	return commandline.Leaf(r.name, short, long+asServer, func(ctx context.Context) (err error) {
		if r.username == "" {
			return usagef("admin %s: --username is missing", r.name)
		}
		cfg, err := r.place.settings(config.Database, r.std)
		if err != nil {
			return err
		}
		accounts, done, err := app.OpenRescue(ctx, cfg, "keyward admin "+r.name+operator())
		if err != nil {
			return fmt.Errorf("admin %s: %w", r.name, err)
		}
		defer func() { err = errors.Join(err, done()) }()
		return r.plain(work(ctx, accounts))
	})
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
