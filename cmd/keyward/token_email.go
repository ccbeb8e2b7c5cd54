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
				u, err := b.UserByName(ctx, username)
				if err != nil {
					return err
				}
				changed, err := b.ChangeEmail(ctx, u.ID, email, revoke)
				if fault.Is(err, fault.CertificatesLive) {
					if revoke, err = s.asksRevoke(err); err != nil {
						return err
					}
					changed, err = b.ChangeEmail(ctx, u.ID, email, revoke)
				}
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
		return nil, fmt.Errorf("%s certificates have the former email: use --certificates revoke or --certificates keep; "+
			"nothing was changed (%s)", count, fault.CertificatesLive)
	}
	fmt.Fprint(s.std.Stderr, count+" certificates have the former email. Revoke them, or keep them until they expire? [revoke/keep] ")
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
