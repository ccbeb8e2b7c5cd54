package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/piv"
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
		tokenRegister(std), tokenList(std), tokenShow(std), tokenSSHKey(std), tokenRevokeCertificate(std))
	return c
}

// serialFlag adds the flag for a token's serial number.
func serialFlag(c *cobra.Command, into *string) {
	commandline.Func(c, "serial", "N", "the token's serial number", func(text string) error {
		if text != "" && !piv.ValidSerial(text) {
			return errors.New("must be a serial number: 4 to 64 digits, letters or hyphens")
		}
		*into = text
		return nil
	})
}

// first is the only argument; empty without one.
func first(args []string) string { return strings.Join(args, "") }
