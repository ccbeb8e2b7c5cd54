package main

import (
	"context"

	"github.com/keyward/keyward/internal/client/flow"
)

const enrollHelp = `Usage: keyward token enroll --server URL --username U --serial N [flags]

Sets up a token: replaces the factory management key, PUK and PIN with the
server's, creates a key in the slot, has a certificate issued for it, and
stores that on the token. The token must be registered and have an owner
(keyward token register). Skips steps that are already done.

` + flowFlagsHelp

func tokenEnroll(ctx context.Context, args []string, std IO) error {
	return newFlowCommand("enroll", std, asks{}).run(ctx, args, enrollHelp, "enrolled",
		func(ctx context.Context, o flow.Options, _ pins) (flow.Result, error) {
			return flow.Enroll(ctx, o)
		})
}

const changePINHelp = `Usage: keyward token change-pin --server URL --username U --serial N [flags]

Sets a new PIN on the token and stores it on the server. If the PIN was changed
outside Keyward, enter the one that the token has.

` + currentPINFlagsHelp + pinFlagsHelp + flowFlagsHelp

func tokenChangePIN(ctx context.Context, args []string, std IO) error {
	return newFlowCommand("change-pin", std, asks{current: true, next: true}).run(ctx, args, changePINHelp, "the PIN is changed",
		func(ctx context.Context, o flow.Options, p pins) (flow.Result, error) {
			if !p.current.Empty() {
				return flow.Recover(ctx, o, p.current, p.next)
			}
			return flow.ChangePIN(ctx, o, p.next)
		})
}

const unblockHelp = `Usage: keyward token unblock --server URL --username U --serial N [flags]

Sets a new PIN with the PUK that the server stores: for a PIN that is blocked,
forgotten, or unknown to the server.

` + pinFlagsHelp + flowFlagsHelp

func tokenUnblock(ctx context.Context, args []string, std IO) error {
	return newFlowCommand("unblock", std, asks{next: true}).run(ctx, args, unblockHelp, "the PIN was set again",
		func(ctx context.Context, o flow.Options, p pins) (flow.Result, error) {
			return flow.Unblock(ctx, o, p.next)
		})
}

const setRetriesHelp = `Usage: keyward token set-retries --server URL --username U --serial N [flags]

Gives PIN and PUK three tries each, for a PUK that is blocked or unknown to the
server. It takes the management key and the PIN. PIN and PUK get their factory
values, and keys and certificates stay: run keyward token enroll afterwards.

` + currentPINFlagsHelp + flowFlagsHelp

func tokenSetRetries(ctx context.Context, args []string, std IO) error {
	return newFlowCommand("set-retries", std, asks{current: true}).run(ctx, args, setRetriesHelp,
		"PIN and PUK have three tries and their factory values; set up the token again with keyward token enroll",
		func(ctx context.Context, o flow.Options, p pins) (flow.Result, error) {
			return flow.SetRetries(ctx, o, p.current)
		})
}

const renewHelp = `Usage: keyward token renew --server URL --username U --serial N [flags]

Gives the slot a new key and a certificate for it. Once the new certificate is
on the token, the previous one is revoked as superseded.

  --reuse-key     keep the key; works once the current certificate is no longer
                  valid, since until then the same request returns the same
                  certificate
` + flowFlagsHelp

func tokenRenew(ctx context.Context, args []string, std IO) error {
	c := newFlowCommand("renew", std, asks{})
	keep := c.fs.Bool("reuse-key", false, "")
	return c.run(ctx, args, renewHelp, "renewed",
		func(ctx context.Context, o flow.Options, _ pins) (flow.Result, error) {
			return flow.Renew(ctx, o, *keep)
		})
}
