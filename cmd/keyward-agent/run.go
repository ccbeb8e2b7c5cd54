package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/agent"
	"github.com/keyward/keyward/internal/agent/identity"
	"github.com/keyward/keyward/internal/agent/pcsc"
	"github.com/keyward/keyward/internal/agent/ykman"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/commandline"
)

// ExitCode returns the process's exit code for Run's error.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if _, ok := errors.AsType[*commandline.UsageError](err); ok {
		return 2
	}
	return 1
}

// Run executes one command line and returns when ctx ends. Results go to stdout, the
// log to stderr.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	folder, err := identity.Folder()
	if err != nil {
		return err
	}
	return run(ctx, args, folder, stdout, stderr)
}

// run is Run with the folder of the user's identity.
func run(ctx context.Context, args []string, folder string, stdout, stderr io.Writer) error {
	err := commandline.Execute(ctx, commands(folder, stdout, stderr), args)
	if _, wrong := errors.AsType[*commandline.UsageError](err); wrong {
		return fmt.Errorf("%w\nTry: keyward-agent --help", err)
	}
	return err
}

// commands is the agent itself, with its other commands.
func commands(folder string, stdout, stderr io.Writer) *cobra.Command {
	o := options{folder: folder, stderr: stderr, Config: agent.Config{Version: version, Listen: agent.DefaultListen}}
	c := commandline.Root("keyward-agent", version, manual, stdout, stderr)
	c.Flags().SortFlags = false
	c.Example = "  keyward-agent --origin https://keyward.example.org\n  keyward-agent code"
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return commandline.Usagef("%d arguments too many: the agent takes only flags, or only code", len(args))
		}
		return o.serve(c.Context())
	}
	c.FParseErrWhitelist.UnknownFlags = false // unlike a group of commands, it has flags
	commandline.Func(c, "origin", "ORIGIN", "a site whose pages may use the agent, as its address begins: scheme, host, and the "+
		"port if there is one. Can be repeated. No wildcards", func(text string) error {
		o.Origins = append(o.Origins, text)
		return nil
	})
	commandline.Text(c, &o.Listen, "listen", "ADDR", "where to listen, on 127.0.0.1 only; pages look for the agent at the default")
	commandline.Text(c, &o.tool, "tool", "PATH", "the ykman to use; by default, the one in PATH")
	commandline.Bool(c, &o.Dev, "dev", "also allow pages served from this machine, such as http://localhost:8080")
	commandline.Bool(c, &o.AllowPlaintext, "allow-plaintext", "accept unencrypted secrets, for trying things out with curl; "+
		"don't use it otherwise")
	c.AddCommand(commandline.Leaf("code", "print your agent's pairing code",
		"Prints your agent's pairing code: if the page or keyward token asks you to compare\na code, this must be it.",
		func(context.Context) error { return code(folder, stdout) }))
	return c
}

// options are what the agent runs with.
type options struct {
	agent.Config

	folder, tool string
	stderr       io.Writer
}

// serve runs the agent until ctx ends.
func (o *options) serve(ctx context.Context) (err error) {
	stderr, folder, config := o.stderr, o.folder, o.Config
	log := slog.New(slog.NewTextHandler(stderr, nil))
	d := ykman.New(ykman.Options{Path: o.tool, Log: log})
	defer func() {
		if err := d.Close(); err != nil {
			log.Warn("could not remove the tool's private folder", "cause", err.Error())
		}
	}()
	config.Log, config.Driver = log, d
	config.Readers = pcsc.New("", log)
	if err := config.Validate(); err != nil {
		return commandline.Usagef("%v", err)
	}
	if config.Identity, err = identity.Load(folder); err != nil {
		return err
	}
	return agent.Run(ctx, config)
}

// code prints the pairing code of the user's own agent: from the file, so that whatever
// else answers on the agent's port cannot influence it.
func code(folder string, stdout io.Writer) error {
	key, err := identity.Load(folder)
	if err != nil {
		return err
	}
	fingerprint, err := agentkey.Fingerprint(key.Public())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, agentkey.VerificationCode(fingerprint))
	return err
}
