package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
)

// Run executes one command line. "run" returns when ctx ends. Results go to stdout,
// progress to stderr; stdin is not used.
func Run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return &UsageError{"a command is missing"}
	}
	switch name, rest := args[0], args[1:]; name {
	case "run":
		return runHost(ctx, rest, stdout, stderr)
	case "plug", "unplug", "factory-reset":
		return tellHost(ctx, name, rest, stdout, stderr)
	case "root":
		return printRoot(rest, stdout)
	case "help", "-h", "-help", "--help":
		_, err := io.WriteString(stdout, manual)
		return err
	default:
		return &UsageError{fmt.Sprintf("unknown command %q", name)}
	}
}

// settings are the flags of all commands; each command allows some.
type settings struct {
	state    string
	serials  []uint32
	firmware piv.Version
	ifNone   bool
	complex  bool
}

// parseFlags parses flags and arguments in any order. done is true when the manual was
// requested and printed.
func parseFlags(name string, args []string, stdout io.Writer, wants int) (s settings, rest []string, done bool, err error) {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&s.state, "state", "", "")
	var bad error // our own text: package flag's would repeat the value
	parsed := func(name string, parse func(string) error) {
		flags.Func(name, "", func(text string) error {
			if err := parse(text); err != nil {
				bad = fmt.Errorf("--%s: %w", name, err)
			}
			return bad
		})
	}
	if name == "run" {
		parsed("serial", s.addSerial)
		parsed("firmware", func(text string) (err error) {
			s.firmware, err = applet.ParseFirmware(text)
			return err
		})
		flags.BoolVar(&s.ifNone, "if-none", false, "")
		flags.BoolVar(&s.complex, "pin-complexity", false, "")
	}
	for len(args) > 0 {
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			_, err := io.WriteString(stdout, manual)
			return settings{}, nil, true, err
		} else if err != nil {
			return settings{}, nil, false, &UsageError{cmp.Or(bad, err).Error()}
		}
		if args = flags.Args(); len(args) > 0 {
			rest, args = append(rest, args[0]), args[1:]
		}
	}
	if len(rest) != wants {
		return settings{}, nil, false, &UsageError{fmt.Sprintf("%s takes %d argument(s), not %d", name, wants, len(rest))}
	}
	if s.state == "" {
		s.state, err = defaultState()
	}
	return s, rest, false, err
}

// defaultState follows the XDG base directory specification.
func defaultState() (string, error) {
	if base := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "keyward-vtoken"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("there is no place for the tokens' state: %w; choose one with --state", err)
	}
	return filepath.Join(home, ".local", "state", "keyward-vtoken"), nil
}

func runHost(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, _, done, err := parseFlags("run", args, stdout, 0)
	if err != nil || done {
		return err
	}
	if s.ifNone {
		if name, found := vtoken.YubiKeyReader(ctx); found {
			_, err := fmt.Fprintf(stderr, "not starting a virtual token: there is a reader %q\n", name)
			return err
		}
	}
	host, err := vtoken.Start(ctx, vtoken.Options{
		StateDir: s.state, Serials: s.serials, Firmware: s.firmware, PINComplexity: s.complex,
	})
	if err != nil {
		return err
	}
	return errors.Join(serve(ctx, host, stdout, stderr), host.Close())
}

// serve announces the host and waits for its end.
func serve(ctx context.Context, host *vtoken.Host, stdout, stderr io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, host.Env())
	for _, serial := range host.Serials() {
		fmt.Fprintf(&b, "serial=%d\n", serial)
	}
	if _, err := io.WriteString(stdout, b.String()); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "virtual tokens are ready; try: %s ykman list\n", host.Env())
	select {
	case <-ctx.Done():
		return nil
	case <-host.Done():
		return errors.New("pcscd ended unexpectedly: see run/pcscd.log in the state directory")
	}
}

// tellHost sends a command to the running host. A factory reset also works without one.
func tellHost(ctx context.Context, name string, args []string, stdout, stderr io.Writer) error {
	s, rest, done, err := parseFlags(name, args, stdout, 1)
	if err != nil || done {
		return err
	}
	serial, err := parseSerial(rest[0])
	if err != nil {
		return &UsageError{err.Error()}
	}
	err = vtoken.Control(ctx, s.state, name, serial)
	if errors.Is(err, vtoken.ErrNotRunning) && name == vtoken.CommandFactoryReset {
		err = vtoken.FactoryReset(s.state, serial)
	}
	if err == nil {
		fmt.Fprintf(stderr, "%s %d: done\n", name, serial)
	}
	return err
}

func printRoot(args []string, stdout io.Writer) error {
	s, _, done, err := parseFlags("root", args, stdout, 0)
	if err != nil || done {
		return err
	}
	root, err := vtoken.Root(s.state)
	if err != nil {
		return err
	}
	_, err = stdout.Write(root.PEM())
	return err
}

// addSerial adds one --serial, which may be repeated.
func (s *settings) addSerial(text string) error {
	serial, err := parseSerial(text)
	s.serials = append(s.serials, serial)
	return err
}

func parseSerial(text string) (uint32, error) {
	serial, ok := piv.ParseYubiKeySerial(text)
	if !ok {
		return 0, errors.New("a serial number must be a number from 1 to 4294967295")
	}
	return serial, nil
}
