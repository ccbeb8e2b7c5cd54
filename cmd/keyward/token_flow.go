package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"strings"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textfile"
)

const agentDefault = "http://127.0.0.1:56123"

const flowFlagsHelp = `  --serial N      the token's serial number
  --agent URL     the agent on this machine (` + agentDefault + `)
  --agent-code C  what keyward-agent code prints; without it, you are asked if
                  you haven't used the agent before
  --slot S        9a (default), 9c, 9d or 9e
  --reason R      why; required for someone else's token
  --yes           answer questions with yes, except for another try of PIN or PUK
                  and for an agent's code
  --json          print the result as a JSON object
` + signInHelp

const pinFlagsHelp = `  --choose-pin    enter the new PIN; without it, the PIN is random
  --pin-file F    read the new PIN from the first line of F; - is the next
                  line of standard input, after the password
`

// flowCommand is a command that carries out one flow.
type flowCommand struct {
	fs      *flag.FlagSet
	signIn  *signIn
	options flow.Options
	agent   string
	yes     bool
	json    bool
	choose  bool
	pinFile string
}

func newFlowCommand(name string, std IO, pins bool) *flowCommand {
	c := &flowCommand{fs: flag.NewFlagSet("token "+name, flag.ContinueOnError)}
	c.signIn = newSignIn(c.fs, std)
	c.fs.StringVar(&c.options.Serial, "serial", "", "")
	c.fs.StringVar(&c.options.Slot, "slot", string(piv.Authentication), "")
	c.fs.StringVar(&c.options.Reason, "reason", "", "")
	c.fs.StringVar(&c.agent, "agent", agentDefault, "")
	c.fs.StringVar(&c.options.AgentCode, "agent-code", "", "")
	c.fs.BoolVar(&c.yes, "yes", false, "")
	c.fs.BoolVar(&c.json, "json", false, "")
	if pins {
		c.fs.BoolVar(&c.choose, "choose-pin", false, "")
		c.fs.StringVar(&c.pinFile, "pin-file", "", "")
	}
	return c
}

// run signs in, asks for a chosen PIN, and carries the flow out.
func (c *flowCommand) run(
	ctx context.Context, args []string, help, done string, carry func(context.Context, flow.Options, secret.String) (flow.Result, error),
) error {
	std := c.signIn.std
	if stop, err := parse(c.fs, args, help, std); stop || err != nil {
		return err
	}
	if c.options.Serial == "" {
		return usagef("%s: --serial is missing", c.fs.Name())
	}
	if !piv.Slot(c.options.Slot).Valid() {
		return usagef("%s: --slot must be 9a, 9c, 9d or 9e", c.fs.Name())
	}
	agent, err := client.NewAgent(c.agent, "keyward/"+version)
	if err != nil {
		return usagef("--agent: %v", err)
	}
	c.options.Agent = agent
	c.options.Progress = func(e flow.Event) { fmt.Fprintln(std.Stderr, e.Text) }
	c.options.Confirm = func(_ context.Context, q flow.Question, text string) (bool, error) {
		switch {
		case q == flow.AskAnotherTry: // a try that may be needed, or be the last, is a person's to spend
			return c.signIn.agrees(text, "run this in a terminal to answer")
		case q == flow.AskAgent: // whoever did not look must not say that it is the same
			return c.signIn.agrees(text, "--agent-code says it beforehand")
		case c.yes:
			return true, nil
		}
		return c.signIn.agrees(text, "--yes agrees beforehand")
	}
	var result flow.Result
	err = c.signIn.with(ctx, func(b *client.Backend) error {
		pin, err := c.chosenPIN()
		if err != nil {
			return err
		}
		c.options.Backend = b
		c.options.Reauthenticate = func(ctx context.Context) error { return c.signIn.again(ctx, b) }
		result, err = carry(ctx, c.options, pin)
		return err
	})
	return c.report(ctx, result, done, err)
}

var validPIN = regexp.MustCompile(`^[0-9]{6,8}$`)

func (c *flowCommand) chosenPIN() (pin secret.String, err error) {
	switch {
	case c.pinFile == "-":
		pin, err = c.signIn.secret("", "New PIN")
	case c.pinFile != "":
		raw, readErr := textfile.Read(c.pinFile)
		if readErr != nil {
			return pin, fmt.Errorf("--pin-file: %w", readErr)
		}
		line, _, _ := strings.Cut(string(raw), "\n")
		pin = secret.New(strings.TrimRight(line, "\r"))
	case c.choose:
		pin, err = c.signIn.twice("", "New PIN, 6 to 8 digits")
	default:
		return pin, nil
	}
	if err == nil && !validPIN.MatchString(pin.Reveal()) {
		err = errors.New("the new PIN must have 6 to 8 digits; nothing was changed")
	}
	return pin, err
}

// report prints the result, or turns an error into what to do next.
func (c *flowCommand) report(ctx context.Context, r flow.Result, done string, err error) error {
	std := c.signIn.std
	if ctx.Err() != nil && err != nil {
		err = errors.New("stopped after the current step; run the same command again to continue")
	}
	if c.json {
		return errors.Join(json.NewEncoder(std.Stdout).Encode(answer(r, err)), err)
	}
	if err != nil {
		if u, ok := errors.AsType[*client.Unreachable](err); ok {
			return fmt.Errorf("%w\nThe last step may have taken effect. Run the same command again: it first checks", u)
		}
		return err
	}
	if r.Unchanged {
		done = "nothing needed changing"
	}
	text := "Token " + r.Serial + ": " + done
	if r.Resumed {
		text += " (an earlier attempt was found and completed)"
	}
	if r.CertificateSerialNumber != "" {
		text += "\nSlot " + r.Slot + ": certificate " + r.CertificateSerialNumber + ", valid until " + r.NotAfter
	}
	_, err = fmt.Fprintln(std.Stdout, text)
	return err
}

// answer is the object that --json prints.
func answer(r flow.Result, err error) any {
	if err == nil {
		return struct {
			OK bool `json:"ok"`
			flow.Result
		}{true, r}
	}
	out := struct {
		OK      bool     `json:"ok"`
		Code    string   `json:"code"`
		Field   string   `json:"field,omitempty"`
		Detail  string   `json:"detail"`
		WaysOut []string `json:"ways_out,omitempty"`
		Reasons []string `json:"reasons,omitempty"`
	}{Code: string(fault.CodeOf(err)), Detail: err.Error()}
	if o, ok := errors.AsType[*flow.Outcome](err); ok {
		out.Code, out.Field, out.Detail = string(o.Code), string(o.Field), o.Text
		out.WaysOut, out.Reasons = o.WaysOut, o.Reasons
	} else if _, ok := errors.AsType[*client.Unreachable](err); ok {
		out.Code = "unreachable"
	}
	return out
}
