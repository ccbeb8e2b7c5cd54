package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/fault"
)

func userChangeEmail(std IO) *cobra.Command {
	s := newSignIn(std)
	var username, email, certificates string
	var asJSON bool
	c := commandline.Leaf("change-email", "change an account's email",
		`Changes an account's email. If the username is that email, it changes, too.

Without --certificates, you are asked if there are any. Nobody else can have the
previous email until the last certificate that carries it has expired.

`+passwordHelp, func(ctx context.Context) error {
			if username == "" || email == "" {
				return usagef("user change-email: --username and --email are needed")
			}
			revoke, err := revokeOrKeep(certificates)
			if err != nil {
				return usagef("user change-email: --certificates %v", err)
			}
			return s.with(ctx, func(b *client.Backend) error {
				changed, err := s.rename(ctx, b, username, map[string]string{"email": email}, revoke)
				if err != nil {
					return err
				}
				return show(std, asJSON, changed, func() {
					fmt.Fprintf(std.Stdout, "User %s now has the email %s.\n", changed.Username, changed.Email)
				})
			})
		})
	commandline.Text(c, &username, "username", "NAME", "the account")
	commandline.Text(c, &email, "email", "EMAIL", "its new email")
	commandline.OneOf(c, &certificates, "certificates", "ANSWER", "what to do with valid certificates that carry the previous "+
		"email: revoke, or keep until they expire", "revoke", "keep")
	commandline.Bool(c, &asJSON, "json", "print the account as JSON")
	s.flags(c, "as")
	return c
}

func userChangeDirectory(std IO) *cobra.Command {
	s := newSignIn(std)
	var username, upn, sid, certificates string
	var asJSON bool
	var c *cobra.Command
	c = commandline.Leaf("change-directory", "change an account's UPN and SID",
		`Changes the names by which a Windows domain or a Kerberos realm knows an account:
its user principal name, its SID, or both. An empty value ('') removes one.

Without --certificates, you are asked if valid certificates carry the previous
one. Nobody else can have it until the last of them has expired.

`+passwordHelp, func(ctx context.Context) error {
			names := map[string]string{}
			if commandline.Given(c, "upn") {
				names["upn"] = upn
			}
			if commandline.Given(c, "sid") {
				names["sid"] = sid
			}
			if username == "" || len(names) == 0 {
				return usagef("user change-directory: --username and --upn or --sid are needed")
			}
			revoke, err := revokeOrKeep(certificates)
			if err != nil {
				return usagef("user change-directory: --certificates %v", err)
			}
			return s.with(ctx, func(b *client.Backend) error {
				changed, err := s.rename(ctx, b, username, names, revoke)
				if err != nil {
					return err
				}
				return show(std, asJSON, changed, func() {
					fmt.Fprintf(std.Stdout, "User %s now has the UPN %s and the SID %s.\n", changed.Username, orNone(changed.UPN), orNone(changed.SID))
				})
			})
		})
	commandline.Text(c, &username, "username", "NAME", "the account")
	commandline.Text(c, &upn, "upn", "UPN", "its new user principal name")
	commandline.Text(c, &sid, "sid", "SID", "its new SID")
	commandline.OneOf(c, &certificates, "certificates", "ANSWER", "what to do with valid certificates that carry the previous "+
		"UPN or SID: revoke, or keep until they expire", "revoke", "keep")
	commandline.Bool(c, &asJSON, "json", "print the account as JSON")
	s.flags(c, "as")
	return c
}

func orNone(name *string) string {
	if name == nil {
		return "none"
	}
	return *name
}

// rename changes names of an account, and asks what becomes of certificates where nobody has said.
func (s *signIn) rename(
	ctx context.Context, b *client.Backend, username string, names map[string]string, revoke *bool,
) (changed client.User, err error) {
	u, err := b.UserByName(ctx, username)
	if err != nil {
		return changed, err
	}
	changed, err = b.ChangeNames(ctx, u.ID, names, revoke)
	if fault.Is(err, fault.CertificatesLive) {
		if revoke, err = s.asksRevoke(err); err != nil {
			return changed, err
		}
		changed, err = b.ChangeNames(ctx, u.ID, names, revoke)
	}
	return changed, err
}

// revokeOrKeep parses what happens to certificates; nil for an empty text.
func revokeOrKeep(text string) (*bool, error) {
	switch text {
	case "":
		return nil, nil
	case "revoke", "keep":
		revoke := text == "revoke"
		return &revoke, nil
	}
	return nil, errors.New("must be revoke or keep")
}

// asksRevoke asks what happens to the certificates in the server's refusal. There is no
// default.
func (s *signIn) asksRevoke(refusal error) (*bool, error) {
	count := "Live"
	if f, ok := fault.As(refusal); ok && f.Params["count"] != nil {
		count = fmt.Sprint(f.Params["count"], " live")
	}
	if _, ok := s.terminal(); !ok {
		return nil, fmt.Errorf("%s certificates have the former name: use --certificates revoke or --certificates keep; "+
			"nothing was changed (%s)", count, fault.CertificatesLive)
	}
	fmt.Fprint(s.std.Stderr, count+" certificates have the former name. Revoke them, or keep them until they expire? [revoke/keep] ")
	answer, err := s.line()
	if err != nil {
		return nil, err
	}
	revoke, err := revokeOrKeep(strings.ToLower(strings.TrimSpace(answer)))
	if err == nil && revoke == nil {
		err = errors.New("enter revoke or keep")
	}
	if err != nil {
		return nil, fmt.Errorf("%w; nothing was changed", err)
	}
	return revoke, nil
}
