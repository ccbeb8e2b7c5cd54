package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/textinput"
)

// Run executes one command line.
func Run(args []string, std IO) error {
	if len(args) == 0 {
		return usagef("a command is missing")
	}
	switch name, rest := args[0], args[1:]; name {
	case "keygen":
		return keygen(rest, std)
	case "issue":
		return issue(rest, std)
	case "inspect":
		return inspect(rest, std)
	case "verify":
		return verify(rest, std)
	case "help", "-h", "-help", "--help":
		_, err := io.WriteString(std.Stdout, manual)
		return err
	default:
		return usagef("unknown command %q", name)
	}
}

// flags are those of all commands; each command has some.
type flags struct {
	set                                         *flag.FlagSet
	key, passphrase, output, public             string
	installation, customer, email, kind, expire string
	days                                        int
	json                                        bool
}

func newFlags(name string) *flags {
	f := &flags{set: flag.NewFlagSet(name, flag.ContinueOnError)}
	f.set.SetOutput(io.Discard)
	f.set.BoolVar(&f.json, "json", false, "")
	return f
}

func (f *flags) text(into *string, name string) { f.set.StringVar(into, name, "", "") }

// parse parses flags and the given number of arguments after them. done is true when
// the manual was requested and printed.
func (f *flags) parse(args []string, arguments int, std IO) (done bool, err error) {
	err = f.set.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(std.Stdout, manual)
		return true, err
	case err != nil:
		return false, usagef("%s: %v", f.set.Name(), err)
	case f.set.NArg() != arguments && arguments == 0:
		return false, usagef("%s takes only flags, no arguments", f.set.Name())
	case f.set.NArg() != arguments:
		return false, usagef("%s takes one license file, after the flags", f.set.Name())
	}
	return false, nil
}

// need refuses missing flags.
func (f *flags) need(named map[string]string) error {
	for _, name := range []string{"key", "installation-id", "customer", "email", "type", "public-key"} {
		if value, wanted := named[name]; wanted && value == "" {
			return usagef("--%s is missing", name)
		}
	}
	return nil
}

// read reads a license file; - is standard input.
func read(path string, std IO) (license.File, error) {
	in := std.Stdin
	if path != "-" {
		f, err := os.Open(path) // #nosec G304 -- the user names it
		if err != nil {
			return license.File{}, err
		}
		defer func() { _ = f.Close() }() // it is only read
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, license.MaxFile+1))
	if err != nil {
		return license.File{}, err
	}
	file, err := license.Parse(textinput.Unmarked(text))
	if rejected, ok := errors.AsType[*license.Rejected](err); ok {
		return file, explained(rejected)
	}
	return file, err
}

// explained names the fields that a refusal is about.
func explained(r *license.Rejected) error {
	text := r.Fault.Detail
	for _, f := range r.Fault.Fields {
		text += fmt.Sprintf("\n  %s %s", f.Field, f.Message)
	}
	return errors.New(text)
}

// create writes a new file that nobody else may read.
func create(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // #nosec G304 -- the user names it
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s already exists; choose another file", path)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }
