package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

const agentDefault = "http://127.0.0.1:56123"

// flowCommand is a command that runs one flow.
type flowCommand struct {
	name    string
	signIn  *signIn
	options flow.Options
	agent   string
	yes     bool
	json    bool
	choose  bool
	pinFile string

	enterCurrent bool
	currentFile  string

	done  string // what to say after success
	then  string // the command that usually comes next; empty: none
	carry func(context.Context, flow.Options, pins) (flow.Result, error)
}

// asks are the PINs that a command may prompt for, and the command that usually comes next.
type asks struct {
	current, next bool
	then          string
}

func newFlowCommand(
	name, short, long string, std IO, pins asks, done string, carry func(context.Context, flow.Options, pins) (flow.Result, error),
) *cobra.Command {
	f := &flowCommand{name: "token " + name, signIn: newSignIn(std), agent: agentDefault, done: done, then: pins.then, carry: carry}
	f.options.Slot = string(piv.Authentication)
	c := commandline.Leaf(name, short, long+"\n\n"+passwordHelp, f.run)
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return f.report(c.Context(), flow.Result{}, c.Root().FlagErrorFunc()(c, err))
	})
	serialFlag(c, &f.options.Serial)
	if pins.current {
		commandline.Bool(c, &f.enterCurrent, "current-pin", "enter the PIN that the token has now, if Keyward doesn't know it")
		commandline.Text(c, &f.currentFile, "current-pin-file", "FILE", "read it from the first line of a file; - is the next line "+
			"of standard input, after the password")
	}
	if pins.next {
		commandline.Bool(c, &f.choose, "choose-pin", "enter the new PIN; without it, the PIN is random")
		commandline.Text(c, &f.pinFile, "pin-file", "FILE", "read the new PIN from the first line of a file; - is the next line "+
			"of standard input, after the password")
	}
	commandline.Text(c, &f.agent, "agent", "URL", "the agent on this machine")
	commandline.Text(c, &f.options.AgentCode, "agent-code", "CODE", "what keyward-agent code prints; without it, you are asked "+
		"if you haven't used the agent before")
	commandline.OneOf(c, &f.options.Slot, "slot", "SLOT", "9a, 9c, 9d or 9e", "9a", "9c", "9d", "9e")
	commandline.Text(c, &f.options.Reason, "reason", "TEXT", "why; required for someone else's token")
	commandline.Bool(c, &f.yes, "yes", "answer questions with yes, except for another try of PIN or PUK and for an agent's code")
	commandline.Bool(c, &f.json, "json", "print the result as a JSON object")
	f.signIn.flags(c, "username")
	return c
}

// pins are what the user entered; empty if not prompted for.
type pins struct{ current, next secret.String }

// run signs in, prompts for PINs, and runs the flow.
func (c *flowCommand) run(ctx context.Context) error {
	std := c.signIn.std
	err := c.check()
	if err != nil {
		return c.report(ctx, flow.Result{}, err)
	}
	c.options.Progress = func(e flow.Event) { fmt.Fprintln(std.Stderr, e.Text) }
	c.options.Confirm = func(_ context.Context, q flow.Question, text string) (bool, error) {
		switch {
		case q == flow.AskAnotherTry: // only a person may spend a try that may be needed, or be the last
			return c.signIn.agrees(text, "run this in a terminal to answer")
		case q == flow.AskAgent: // nobody may claim that the codes match without looking
			return c.signIn.agrees(text, "--agent-code says it beforehand")
		case c.yes:
			return true, nil
		}
		return c.signIn.agrees(text, "--yes agrees beforehand")
	}
	var result flow.Result
	err = c.signIn.with(ctx, func(b *client.Backend) error {
		var entered pins
		if entered.current, err = c.currentPIN(); err != nil {
			return err
		}
		if entered.next, err = c.chosenPIN(); err != nil {
			return err
		}
		c.options.Backend = b
		c.options.Reauthenticate = func(ctx context.Context) error { return c.signIn.again(ctx, b) }
		result, err = c.carry(ctx, c.options, entered)
		return err
	})
	return c.report(ctx, result, err)
}

// check validates the command line, before anything is asked or sent.
func (c *flowCommand) check() error {
	if c.options.Serial == "" {
		return usagef("%s: --serial is missing", c.name)
	}
	agent, err := client.NewAgent(c.agent, "keyward/"+version)
	if err != nil {
		return usagef("--agent: %v", err)
	}
	c.options.Agent = agent
	return nil
}

// currentPIN returns the token's PIN, which need not be Keyward's.
func (c *flowCommand) currentPIN() (pin secret.String, err error) {
	switch {
	case c.currentFile != "":
		pin, err = c.pinFrom("--current-pin-file", c.currentFile, "Current PIN")
	case c.enterCurrent:
		pin, err = c.signIn.secret("", "Current PIN of the token")
	default:
		return pin, nil
	}
	if err == nil && !presentPIN.MatchString(pin.Reveal()) {
		err = errors.New("the current PIN must have 6 to 8 characters; nothing was changed")
	}
	return pin, err
}

// pinFrom reads a PIN from a file, or the next line of standard input.
func (c *flowCommand) pinFrom(flag, file, prompt string) (secret.String, error) {
	if file == "-" {
		return c.signIn.secret("", prompt)
	}
	raw, err := textinput.ReadFile(file)
	if err != nil {
		return secret.String{}, fmt.Errorf("%s: %w", flag, err)
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	return secret.New(strings.TrimRight(line, "\r")), nil
}

// Another program may have set a PIN that is not numeric.
var presentPIN = regexp.MustCompile(`^[!-~]{6,8}$`)

var validPIN = regexp.MustCompile(`^[0-9]{6,8}$`)

func (c *flowCommand) chosenPIN() (pin secret.String, err error) {
	switch {
	case c.pinFile != "":
		pin, err = c.pinFrom("--pin-file", c.pinFile, "New PIN")
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
func (c *flowCommand) report(ctx context.Context, r flow.Result, err error) error {
	std, done := c.signIn.std, c.done
	if ctx.Err() != nil && err != nil {
		err = errors.New("stopped after the current step; run the same command again to continue")
	}
	if c.json {
		return errors.Join(json.NewEncoder(std.Stdout).Encode(answer(r, err)), err)
	}
	if err != nil {
		u, ok := errors.AsType[*client.Unreachable](err)
		if ok && u.Unsent {
			return err // it changed nothing
		}
		if ok || fault.Is(err, fault.BackendUnavailable) { // a proxy may have passed the request on
			return fmt.Errorf("%w\nThe last step may have taken effect. Run the same command again: it first checks", err)
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
	for _, o := range r.Others {
		text += "\nSlot " + o.Slot + ": certificate " + o.CertificateSerialNumber + ", valid until " + o.NotAfter
	}
	for _, slot := range r.Kept {
		text += "\nSlot " + slot + ": kept as it is; --slot " + slot + " replaces it"
	}
	if c.then != "" {
		text += "\nNext: " + c.then + " --serial " + r.Serial
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
		Tries   *int     `json:"retries_left,omitempty"`
	}{Code: string(fault.CodeOf(err)), Detail: err.Error()}
	if o, ok := errors.AsType[*flow.Stop](err); ok {
		out.Code, out.Field, out.Detail = string(o.Code), string(o.Field), o.Text
		out.WaysOut, out.Reasons, out.Tries = o.WaysOut, o.Reasons, o.RetriesLeft
	} else if _, ok := errors.AsType[*client.Unreachable](err); ok {
		out.Code = "unreachable"
	} else if _, ok := errors.AsType[*UsageError](err); ok {
		out.Code = "usage"
	}
	return out
}
