package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/textinput"
)

// Run executes one command line.
func Run(args []string, std IO) error {
	err := commandline.Execute(context.Background(), commands(std), args)
	if _, wrong := errors.AsType[*commandline.UsageError](err); wrong {
		return fmt.Errorf("%w\nTry: keyward-licensetool --help", err)
	}
	return err
}

func commands(std IO) *cobra.Command {
	root := commandline.Root("keyward-licensetool COMMAND", "", `Creates and checks licenses, for the vendor.

Exit codes: 0 done, 1 failed or not valid, 2 wrong usage.`, std.Stdout, std.Stderr)
	root.AddCommand(keygenCommand(std), issueCommand(std), inspectCommand(std), verifyCommand(std))
	return root
}

func usagef(format string, args ...any) error { return commandline.Usagef(format, args...) }

// flags are those of all commands; each command has some.
type flags struct {
	key, passphrase, output, public             string
	installation, customer, email, kind, expire string
	days                                        int
	json                                        bool
}

// withKey adds the flags of what uses the private key.
func (f *flags) withKey(c *cobra.Command) {
	commandline.Text(c, &f.key, "key", "FILE", "the private key's file")
	commandline.Text(c, &f.passphrase, "passphrase-file", "FILE", "file with the passphrase on its first line; by default, ask on "+
		"the terminal")
}

func (f *flags) withJSON(c *cobra.Command) *cobra.Command {
	commandline.Bool(c, &f.json, "json", "print the result as JSON")
	return c
}

// file is a command that takes one license file.
func file(use, short, long string, run func(path string) error) *cobra.Command {
	c := commandline.WithArguments(use, short, long, 1, nil)
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%s takes one license file", commandline.Name(c))
		}
		return run(args[0])
	}
	return c
}

// need refuses missing flags.
func need(named ...[2]string) error {
	for _, f := range named {
		if f[1] == "" {
			return usagef("--%s is missing", f[0])
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
