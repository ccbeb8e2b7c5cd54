package main

import (
	"context"
	"io"
	"strings"
)

const tokenHelp = `Usage: keyward token COMMAND [flags]

At the token, through the agent on this machine:
  enroll      take a new token into custody, make its key and its certificate
  change-pin  set a new PIN
  unblock     set a new PIN with the PUK, whatever became of the present one
  renew       give the token a new certificate

At the server alone:
  register            put a token on record
  list                list the tokens within your reach
  show                show a token and its certificates
  revoke-certificate  revoke a certificate

keyward token COMMAND --help tells more.

Every command that changes a token begins by finding out what an earlier
attempt left, and finishes that. So after a failure, a lost connection or
Ctrl-C, run the same command again.
`

// tokenCommand is "keyward token".
func tokenCommand(ctx context.Context, args []string, std IO) error {
	return group(ctx, "token", tokenHelp, args, std, []command{
		{"enroll", "", tokenEnroll},
		{"change-pin", "", tokenChangePIN},
		{"unblock", "", tokenUnblock},
		{"renew", "", tokenRenew},
		{"register", "", tokenRegister},
		{"list", "", tokenList},
		{"show", "", tokenShow},
		{"revoke-certificate", "", tokenRevokeCertificate},
	})
}

// group runs one of a command's own commands.
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

// first takes the leading argument off a command line whose flags follow.
func first(args []string) (string, []string) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return "", args
	}
	return args[0], args[1:]
}
