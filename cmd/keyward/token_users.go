package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/commandline"
)

// userCommand is "keyward user".
func userCommand(std IO) *cobra.Command {
	return commandline.Group("user COMMAND", "create accounts, change their names", "Creates accounts and changes their names.",
		userCreate(std), userChangeEmail(std), userChangeDirectory(std))
}

func userCreate(std IO) *cobra.Command {
	s := newSignIn(std)
	n := client.NewUser{Role: "user"}
	var upn, sid string
	var asJSON bool
	c := commandline.Leaf("create", "create an account",
		`Creates an account.

The new account's password comes from KEYWARD_NEW_PASSWORD, otherwise from a
prompt or the next line of standard input, after your own password.

`+passwordHelp, func(ctx context.Context) error {
			if n.Username == "" || n.Email == "" {
				return usagef("user create: --username and --email are needed")
			}
			n.UPN, n.SID = given(upn), given(sid)
			return s.with(ctx, func(b *client.Backend) (err error) {
				if n.Password, err = s.twice("KEYWARD_NEW_PASSWORD", "Password of "+n.Username); err != nil {
					return err
				}
				u, err := b.CreateUser(ctx, n)
				if err != nil {
					return err
				}
				return show(std, asJSON, u, func() { fmt.Fprintf(std.Stdout, "User %s (%s) was created.\n", u.Username, u.Role) })
			})
		})
	commandline.Text(c, &n.Username, "username", "NAME", "the new account's name")
	commandline.Text(c, &n.Email, "email", "EMAIL", "the new account's email")
	commandline.Text(c, &upn, "upn", "UPN", "its user principal name in the directory")
	commandline.Text(c, &sid, "sid", "SID", "its SID in the Windows domain")
	commandline.OneOf(c, &n.Role, "role", "ROLE", "user, org_manager or global_admin", "user", "org_manager", "global_admin")
	commandline.Func(c, "organization-id", "N", "the new account's organization", func(text string) error {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id < 1 {
			return errNotAnID
		}
		n.OrganizationID = &id
		return nil
	})
	commandline.Bool(c, &asJSON, "json", "print the account as JSON")
	s.flags(c, "as")
	return c
}

func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

var errNotAnID = errors.New("must be the organization's number")

// passwdCommand is "keyward passwd".
func passwdCommand(std IO) *cobra.Command {
	s := newSignIn(std)
	c := commandline.Leaf("passwd", "change your own password",
		`Changes your password, even if you must change it before your first sign-in. The
current password comes from KEYWARD_PASSWORD, otherwise from a prompt or the
first line of standard input; the new one from KEYWARD_NEW_PASSWORD, otherwise
from a prompt or the next line.`, func(ctx context.Context) error {
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
		})
	s.flags(c, "username")
	return c
}
