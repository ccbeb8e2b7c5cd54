package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/commandline"
)

// tokenCommand is "keyward token".
func tokenCommand(std IO) *cobra.Command {
	c := commandline.Group("token COMMAND", "set up, unblock and renew tokens, set their PINs; register and list them",
		`Works on tokens: with the token, through the agent on this machine, or with its
record on the server.

Every command that changes a token first finds out what an earlier attempt left
unfinished, and finishes that. So after a failure, a lost connection or Ctrl-C,
run the same command again.`)
	commandline.Grouped(c, "With the token, through the agent on this machine:",
		tokenEnroll(std), tokenChangePIN(std), tokenUnblock(std), tokenRenew(std), tokenSetRetries(std))
	commandline.Grouped(c, "On the server only:",
		tokenRegister(std), tokenList(std), tokenShow(std), tokenRevokeCertificate(std))
	return c
}

// first is the only argument; empty without one.
func first(args []string) string { return strings.Join(args, "") }
