package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/fault"
)

const userChangeEmailHelp = `Usage: keyward user change-email --server URL --as ADMIN --username U --email E [flags]

Changes an account's email. If the username is that email, it changes, too.

  --username U            the account
  --email E               its new email
  --certificates ANSWER   what to do with valid certificates that carry the
                          previous email: revoke, or keep until they expire
  --json                  print the account as JSON

Without --certificates, you are asked if there are any. Nobody else can have the
previous email until the last certificate that carries it has expired.

  --server URL    the service, for example https://keyward.example.org
  --as ADMIN      your username; default: KEYWARD_USERNAME
  --allow-http    send passwords over plain http to another machine

Your password comes from KEYWARD_PASSWORD, otherwise from a prompt or the first
line of standard input.
`

func userChangeEmail(ctx context.Context, args []string, std IO) error {
	fs := flag.NewFlagSet("user change-email", flag.ContinueOnError)
	s := newSignInAs(fs, std, "as")
	username, email := fs.String("username", "", ""), fs.String("email", "", "")
	certificates, asJSON := fs.String("certificates", "", ""), fs.Bool("json", false, "")
	if done, err := parse(fs, args, userChangeEmailHelp, std); done || err != nil {
		return err
	}
	if *username == "" || *email == "" {
		return usagef("user change-email: --username and --email are needed")
	}
	revoke, err := revokeOrKeep(*certificates)
	if err != nil {
		return usagef("user change-email: --certificates %v", err)
	}
	return s.with(ctx, func(b *client.Backend) error {
		u, err := b.UserByName(ctx, *username)
		if err != nil {
			return err
		}
		changed, err := b.ChangeEmail(ctx, u.ID, *email, revoke)
		if fault.Is(err, fault.CertificatesLive) {
			if revoke, err = s.asksRevoke(err); err != nil {
				return err
			}
			changed, err = b.ChangeEmail(ctx, u.ID, *email, revoke)
		}
		if err != nil {
			return err
		}
		return show(std, *asJSON, changed, func() { fmt.Fprintf(std.Stdout, "User %s now has the email %s.\n", changed.Username, changed.Email) })
	})
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
