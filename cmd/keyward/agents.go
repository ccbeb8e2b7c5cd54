package main

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/keyward/keyward/internal/client"
)

const agentsHelp = `Usage: keyward agents COMMAND [flags]

  list        list the agents that you have paired
  remove ID   remove an agent; sessions that use it lose its key

For more, run keyward agents COMMAND --help.
`

// agentsCommand is "keyward agents".
func agentsCommand(ctx context.Context, args []string, std IO) error {
	return group(ctx, "agents", agentsHelp, args, std, []command{{"list", "", agentsList}, {"remove", "", agentsRemove}})
}

const agentsListHelp = `Usage: keyward agents list --server URL --username U [--json]

Lists the agents that you have paired. CODE is what keyward-agent code prints
on the agent's workstation.

` + signInHelp

func agentsList(ctx context.Context, args []string, std IO) error {
	fs := flag.NewFlagSet("agents list", flag.ContinueOnError)
	s := newSignIn(fs, std)
	asJSON := fs.Bool("json", false, "")
	if done, err := parse(fs, args, agentsListHelp, std); done || err != nil {
		return err
	}
	return s.with(ctx, func(b *client.Backend) error {
		all, err := b.Agents(ctx)
		if err != nil {
			return err
		}
		return show(std, *asJSON, all, func() {
			w := tabwriter.NewWriter(std.Stdout, 0, 8, 2, ' ', 0)
			fmt.Fprintln(w, "ID\tCODE\tWORKSTATION\tLAST USED")
			for _, a := range all {
				fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", a.ID, a.Code, a.Hostname, a.LastUsedAt.UTC().Format(time.DateTime+"Z"))
			}
			_ = w.Flush()
		})
	})
}

const agentsRemoveHelp = `Usage: keyward agents remove ID --server URL --username U

Removes an agent. Sessions that use it lose its key immediately. To use it
again, you have to pair it again and compare its code, even if it was your last.

` + signInHelp

func agentsRemove(ctx context.Context, args []string, std IO) error {
	fs := flag.NewFlagSet("agents remove", flag.ContinueOnError)
	s := newSignIn(fs, std)
	number, args := first(args)
	if done, err := parse(fs, args, agentsRemoveHelp, std); done || err != nil {
		return err
	}
	id, err := strconv.ParseInt(number, 10, 64)
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
}
