package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"

	"github.com/keyward/keyward/internal/agent"
	"github.com/keyward/keyward/internal/agent/identity"
	"github.com/keyward/keyward/internal/agent/pcsc"
	"github.com/keyward/keyward/internal/agent/ykman"
	"github.com/keyward/keyward/internal/agentkey"
)

// UsageError is a wrong command line.
type UsageError struct{ err error }

// Error states the mistake, and where the manual is.
func (e *UsageError) Error() string {
	return e.err.Error() + "\nTry: keyward-agent --help"
}

// ExitCode returns the process's exit code for Run's error.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if _, ok := errors.AsType[*UsageError](err); ok {
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
	if len(args) > 0 && args[0] == "code" {
		return code(args[1:], folder, stdout)
	}
	config, tool, done, err := parse(args, stdout)
	if err != nil || done {
		return err
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	d := ykman.New(ykman.Options{Path: tool, Log: log})
	defer func() {
		if err := d.Close(); err != nil {
			log.Warn("could not remove the tool's private folder", "cause", err.Error())
		}
	}()
	config.Log, config.Driver = log, d
	config.Readers = pcsc.New("", log)
	if err := config.Validate(); err != nil {
		return &UsageError{err}
	}
	if config.Identity, err = identity.Load(folder); err != nil {
		return err
	}
	return agent.Run(ctx, config)
}

// code prints the pairing code of the user's own agent: from the file, so that whatever
// else answers on the agent's port cannot influence it.
func code(args []string, folder string, stdout io.Writer) error {
	if len(args) > 0 {
		return &UsageError{errors.New("code takes no arguments")}
	}
	key, err := identity.Load(folder)
	if err != nil {
		return err
	}
	fingerprint, err := agentkey.Fingerprint(key.Public())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, agentkey.Code(fingerprint))
	return err
}

// parse parses the command line; done is true if it only asked for the manual or the
// version.
func parse(args []string, stdout io.Writer) (c agent.Config, tool string, done bool, err error) {
	c.Version = version
	flags := flag.NewFlagSet("keyward-agent", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&c.Listen, "listen", agent.DefaultListen, "")
	flags.Func("origin", "", func(o string) error {
		c.Origins = append(c.Origins, o)
		return nil
	})
	flags.BoolVar(&c.Dev, "dev", false, "")
	flags.StringVar(&tool, "tool", "", "")
	flags.BoolVar(&c.AllowPlaintext, "allow-plaintext", false, "")
	showVersion := flags.Bool("version", false, "")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(stdout, manual)
		return c, "", true, err
	case err != nil:
		return c, "", false, &UsageError{err}
	case flags.NArg() > 0:
		return c, "", false, &UsageError{fmt.Errorf("%d arguments too many: the agent takes only flags, or only code", flags.NArg())}
	case *showVersion:
		_, err := fmt.Fprintln(stdout, "keyward-agent", version)
		return c, "", true, err
	}
	return c, tool, false, nil
}
