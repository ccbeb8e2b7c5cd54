package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/commandline"
)

func tokenEnroll(std IO) *cobra.Command {
	var c *cobra.Command
	c = newFlowCommand("enroll", "set up a new token, with its keys and certificates",
		`Sets up a token: replaces the factory management key, PUK and PIN with the
server's, creates a key in each slot of the organization's plan (see keyward
profiles), has certificates issued for them, and stores these on the token; with
--slot, in that slot alone. What 9d holds is never replaced by the plan. The token
must be registered and have an owner (keyward token register). Skips steps that are
already done.`, std, asks{then: "its owner chooses the PIN, keyward token change-pin --choose-pin"}, "enrolled",
		func(ctx context.Context, o flow.Options, _ pins) (flow.Result, error) {
			if !commandline.Given(c, "slot") {
				usable, err := o.Backend.Profiles(ctx, o.Serial)
				if err != nil {
					return flow.Result{}, err
				}
				o.Plan = usable.Plan
			}
			return flow.Enroll(ctx, o)
		})
	return c
}

func tokenChangePIN(std IO) *cobra.Command {
	return newFlowCommand("change-pin", "set a new PIN",
		`Sets a new PIN on the token and stores it on the server. If the PIN was changed
outside Keyward, enter the one that the token has.`, std, asks{current: true, next: true}, "the PIN is changed",
		func(ctx context.Context, o flow.Options, p pins) (flow.Result, error) {
			if !p.current.Empty() {
				return flow.Recover(ctx, o, p.current, p.next)
			}
			return flow.ChangePIN(ctx, o, p.next)
		})
}

func tokenUnblock(std IO) *cobra.Command {
	return newFlowCommand("unblock", "set a new PIN with the PUK, if the current one is blocked or lost",
		`Sets a new PIN with the PUK that the server stores: for a PIN that is blocked,
forgotten, or unknown to the server.`, std, asks{next: true}, "the PIN was set again",
		func(ctx context.Context, o flow.Options, p pins) (flow.Result, error) {
			return flow.Unblock(ctx, o, p.next)
		})
}

func tokenSetRetries(std IO) *cobra.Command {
	return newFlowCommand("set-retries", "give PIN and PUK their tries back",
		`Gives PIN and PUK three tries each, for a PUK that is blocked or unknown to the
server. It takes the management key and the PIN. PIN and PUK get their factory
values, and keys and certificates stay: run keyward token enroll afterwards.`, std, asks{current: true},
		"PIN and PUK have three tries and their factory values; set up the token again with keyward token enroll",
		func(ctx context.Context, o flow.Options, p pins) (flow.Result, error) {
			return flow.SetRetries(ctx, o, p.current)
		})
}

func tokenRenew(std IO) *cobra.Command {
	var keep, renew bool
	c := newFlowCommand("renew", "give the token a new certificate",
		`Gives the slot a new certificate, for a new key; in 9d, for the current one, which
decrypts what was encrypted for it. Once the new certificate is on the token, the
previous one is revoked as superseded.`, std, asks{}, "renewed",
		func(ctx context.Context, o flow.Options, _ pins) (flow.Result, error) {
			key := flow.KeyOfSlot
			switch {
			case keep:
				key = flow.KeepKey
			case renew:
				key = flow.NewKey
			}
			return flow.Renew(ctx, o, key)
		})
	commandline.Bool(c, &keep, "reuse-key", "keep the key in any slot")
	commandline.Bool(c, &renew, "new-key", "make a new key in 9d, too: what was encrypted for the current one can't be read any more")
	c.MarkFlagsMutuallyExclusive("reuse-key", "new-key")
	return c
}
