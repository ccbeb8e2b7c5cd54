package flow_test

import (
	"context"
	"errors"
	"testing"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// front is a front end with its users: "first" and "second" own the tokens, "admin" is
// an administrator.
type front interface {
	// has reports whether the front end has a flow.
	has(flow string) bool
	// run performs an attempt. It calls paused at the attempt's pause.
	run(t *testing.T, person string, a attempt, paused func()) report
}

// commandLine is the flows of the command line, in this process.
type commandLine struct{ desks map[string]desk }

var commands = map[string]func(ctx context.Context, o flow.Options, a attempt) (flow.Result, error){
	"enroll": func(ctx context.Context, o flow.Options, _ attempt) (flow.Result, error) { return flow.Enroll(ctx, o) },
	"change_pin": func(ctx context.Context, o flow.Options, a attempt) (flow.Result, error) {
		return flow.ChangePIN(ctx, o, secret.New(a.Chosen))
	},
	"unblock": func(ctx context.Context, o flow.Options, a attempt) (flow.Result, error) {
		return flow.Unblock(ctx, o, secret.New(a.Chosen))
	},
	"recover": func(ctx context.Context, o flow.Options, a attempt) (flow.Result, error) {
		return flow.Recover(ctx, o, secret.New(a.Typed), secret.New(a.Chosen))
	},
	"set_retries": func(ctx context.Context, o flow.Options, a attempt) (flow.Result, error) {
		return flow.SetRetries(ctx, o, secret.New(a.Typed))
	},
	"renew": func(ctx context.Context, o flow.Options, a attempt) (flow.Result, error) {
		key := flow.KeyOfSlot
		if a.KeepKey != nil && *a.KeepKey {
			key = flow.KeepKey
		} else if a.KeepKey != nil {
			key = flow.NewKey
		}
		return flow.Renew(ctx, o, key)
	},
}

func (commandLine) has(flow string) bool { return commands[flow] != nil }

func (c commandLine) run(t *testing.T, person string, a attempt, paused func()) report {
	t.Helper()
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	g := &gate{Cut: a.Cut, kill: kill, passed: map[string]func(){a.Pause: paused}}
	var got report
	d := c.desks[person]
	if a.Cut.When.lives() {
		d = c.desks["patient"]
	}
	o := flow.Options{
		Backend: d.backend, Agent: d.agent, Serial: a.Serial, Slot: a.Slot, Reason: a.Reason,
		Progress: func(e flow.Event) {
			if string(e.Step) == a.Cancel {
				kill()
			}
		},
	}
	if a.Answer != "nobody" {
		o.Confirm = func(_ context.Context, q flow.Question, _ string) (bool, error) {
			got.Asked = append(got.Asked, string(q))
			return a.Answer == "yes" || a.Answer == "" && q != flow.AskOverwrite, nil
		}
	}
	result, err := commands[a.Flow](through(ctx, g), o, a)
	got.Resumed, got.Unchanged, got.Certificate = result.Resumed, result.Unchanged, result.CertificateSerialNumber
	got.Calls, got.Changes = g.Names, g.Changes
	got.stopped(err, g)
	return got
}

// stopped names the error that ended a flow.
func (r *report) stopped(err error, g *gate) {
	if err == nil {
		r.Outcome = "done"
		return
	}
	r.Outcome, r.Detail = "error of another kind", err.Error()
	o, stopped := errors.AsType[*flow.Stop](err)
	_, refused := errors.AsType[*client.Error](err)
	switch {
	case g.Hit && (!g.Cut.When.lives() || errors.Is(err, errCut)):
		r.Outcome = "cut"
	case errors.Is(err, context.Canceled):
		r.Outcome = "cancelled"
	case stopped:
		r.Outcome, r.Ways, r.Reasons, r.RetriesLeft = string(o.Code), len(o.WaysOut), o.Reasons, o.RetriesLeft
	case refused:
		r.Outcome = "problem " + string(fault.CodeOf(err))
	}
}
