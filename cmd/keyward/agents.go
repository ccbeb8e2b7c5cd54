package main

import (
	"context"
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/commandline"
)

// agentsCommand is "keyward agents".
func agentsCommand(std IO) *cobra.Command {
	return commandline.Group("agents COMMAND", "list and remove the workstation agents that you have paired",
		"Lists and removes the workstation agents that you have paired.", agentsListCommand(std), agentsRemoveCommand(std))
}

func agentsListCommand(std IO) *cobra.Command {
	s := newSignIn(std)
	var asJSON bool
	c := commandline.Leaf("list", "list the agents that you have paired",
		"Lists the agents that you have paired. CODE is what keyward-agent code prints\non the agent's workstation.\n\n"+passwordHelp,
		func(ctx context.Context) error {
			return s.with(ctx, func(b *client.Backend) error {
				all, err := b.Agents(ctx)
				if err != nil {
					return err
				}
				return show(std, asJSON, all, func() {
					w := tabwriter.NewWriter(std.Stdout, 0, 8, 2, ' ', 0)
					fmt.Fprintln(w, "ID\tCODE\tWORKSTATION\tLAST USED")
					for _, a := range all {
						fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", a.ID, a.Code, a.Hostname, a.LastUsedAt.UTC().Format(time.DateTime+"Z"))
					}
					_ = w.Flush()
				})
			})
		})
	commandline.Bool(c, &asJSON, "json", "print them as JSON")
	s.flags(c, "username")
	return c
}

func agentsRemoveCommand(std IO) *cobra.Command {
	s := newSignIn(std)
	c := commandline.WithArguments("remove ID", "remove an agent; sessions that use it lose its key",
		`Removes an agent. Sessions that use it lose its key immediately. To use it
again, you have to pair it again and compare its code, even if it was your last.

`+passwordHelp, 1,
		func(ctx context.Context, args []string) error {
			id, err := strconv.ParseInt(first(args), 10, 64)
			if err != nil || id < 1 {
				return usagef("agents remove: give the agent's ID; keyward agents list shows it")
			}
			return s.with(ctx, func(b *client.Backend) error {
				if err := b.RemoveAgent(ctx, id); err != nil {
					return err
				}
				_, err := fmt.Fprintf(std.Stdout, "Agent %d is removed.\n", id)
				return err
			})
		})
	s.flags(c, "username")
	return c
}
