package main

import (
	"context"
	"io"
	"strings"
)

const tokenHelp = `Usage: keyward token COMMAND [flags]

With the token, through the agent on this machine:
  enroll      set up a new token, with its key and certificate
  change-pin  set a new PIN
  unblock     set a new PIN with the PUK, if the current one is blocked or lost
  renew       give the token a new certificate
  set-retries give PIN and PUK their tries back

On the server only:
  register            register a token
  list                list the tokens that you can see
  show                show a token and its certificates
  revoke-certificate  revoke a certificate

For more, run keyward token COMMAND --help.

Every command that changes a token first finds out what an earlier attempt left
unfinished, and finishes that. So after a failure, a lost connection or Ctrl-C,
run the same command again.
`

// tokenCommand is "keyward token".
func tokenCommand(ctx context.Context, args []string, std IO) error {
	return group(ctx, "token", tokenHelp, args, std, []command{
		{"enroll", "", tokenEnroll},
		{"change-pin", "", tokenChangePIN},
		{"unblock", "", tokenUnblock},
		{"renew", "", tokenRenew},
		{"set-retries", "", tokenSetRetries},
		{"register", "", tokenRegister},
		{"list", "", tokenList},
		{"show", "", tokenShow},
		{"revoke-certificate", "", tokenRevokeCertificate},
	})
}

// group runs a subcommand of a command.
func group(ctx context.Context, name, help string, args []string, std IO, list []command) error {
	if len(args) == 0 {
		return usagef("%s: a command is missing; see keyward %s --help", name, name)
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		_, err := io.WriteString(std.Stdout, help)
		return err
	}
	for _, c := range list {
		if c.name == args[0] {
			return c.run(ctx, args[1:], std)
		}
	}
	return usagef("%s: there is no such command; see keyward %s --help", name, name)
}

// first splits off the leading argument of a command line whose flags follow.
func first(args []string) (string, []string) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return "", args
	}
	return args[0], args[1:]
}
