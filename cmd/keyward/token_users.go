package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/keyward/keyward/internal/client"
)

const userHelp = `Usage: keyward user COMMAND [flags]

  create         create an account
  change-email   change an account's email

For more, run keyward user COMMAND --help.
`

// userCommand is "keyward user".
func userCommand(ctx context.Context, args []string, std IO) error {
	return group(ctx, "user", userHelp, args, std, []command{{"create", "", userCreate}, {"change-email", "", userChangeEmail}})
}

const userCreateHelp = `Usage: keyward user create --server URL --as ADMIN --username U --email E [flags]

Creates an account.

  --username U          the new account's name
  --email E             the new account's email
  --role R              user (default), org_manager or global_admin
  --organization-id N   the new account's organization
  --json                print the account as JSON

The new account's password comes from KEYWARD_NEW_PASSWORD, otherwise from a
prompt or the next line of standard input, after your own password.

  --server URL    the service, for example https://keyward.example.org
  --as ADMIN      your username; default: KEYWARD_USERNAME
  --allow-http    send passwords over plain http to another machine

Your password comes from KEYWARD_PASSWORD, otherwise from a prompt or the first
line of standard input.
`

func userCreate(ctx context.Context, args []string, std IO) error {
	fs := flag.NewFlagSet("user create", flag.ContinueOnError)
	s := newSignInAs(fs, std, "as")
	var n client.NewUser
	fs.StringVar(&n.Username, "username", "", "")
	fs.StringVar(&n.Email, "email", "", "")
	fs.StringVar(&n.Role, "role", "user", "")
	organization, asJSON := fs.Int64("organization-id", 0, ""), fs.Bool("json", false, "")
	if done, err := parse(fs, args, userCreateHelp, std); done || err != nil {
		return err
	}
	if n.Username == "" || n.Email == "" {
		return usagef("user create: --username and --email are needed")
	}
	if *organization != 0 {
		n.OrganizationID = organization
	}
	return s.with(ctx, func(b *client.Backend) (err error) {
		if n.Password, err = s.twice("KEYWARD_NEW_PASSWORD", "Password of "+n.Username); err != nil {
			return err
		}
		u, err := b.CreateUser(ctx, n)
		if err != nil {
			return err
		}
		return show(std, *asJSON, u, func() { fmt.Fprintf(std.Stdout, "User %s (%s) was created.\n", u.Username, u.Role) })
	})
}

const passwdHelp = `Usage: keyward passwd --server URL --username U

Changes your password, even if you must change it before your first sign-in. The
current password comes from KEYWARD_PASSWORD, otherwise from a prompt or the
first line of standard input; the new one from KEYWARD_NEW_PASSWORD, otherwise
from a prompt or the next line.

` + signInHelp

// passwdCommand is "keyward passwd".
func passwdCommand(ctx context.Context, args []string, std IO) error {
	fs := flag.NewFlagSet("passwd", flag.ContinueOnError)
	s := newSignIn(fs, std)
	if done, err := parse(fs, args, passwdHelp, std); done || err != nil {
		return err
	}
	b, err := s.connect()
	if err != nil {
		return err
	}
	current, err := s.secret("KEYWARD_PASSWORD", "Present password of "+s.username)
	if err != nil {
		return err
	}
	next, err := s.twice("KEYWARD_NEW_PASSWORD", "New password")
	if err != nil {
		return err
	}
	if err := b.ChangePassword(ctx, s.username, current, next); err != nil {
		return err
	}
	_, err = fmt.Fprintln(std.Stdout, "The password is changed.")
	return err
}
