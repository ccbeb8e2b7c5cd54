// Package commandline is what Keyward's programs share of cobra: how their help looks, what
// is wrong usage, and how flags are declared. cobra brings shell completion and suggestions
// for mistyped commands.
package commandline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// UsageError is a wrong command line.
type UsageError struct{ text string }

// Error says what is wrong.
func (e *UsageError) Error() string { return e.text }

// Usagef returns a *UsageError.
func Usagef(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// help prints a command's. It is no template, since those keep the linker from dropping
// unused methods: some 2 MB in the agent.
func help(c *cobra.Command, _ []string) {
	w := c.OutOrStdout()
	fmt.Fprintf(w, "Usage: %s\n\n%s\n", c.UseLine(), strings.TrimRight(cmp.Or(c.Long, c.Short), "\n"))
	list := func(title, group string) {
		for _, child := range c.Commands() {
			if child.GroupID != group || !child.IsAvailableCommand() {
				continue
			}
			if title != "" {
				fmt.Fprintf(w, "\n%s\n", title)
				title = ""
			}
			fmt.Fprintf(w, "  %-*s  %s\n", child.NamePadding(), child.Name(), child.Short)
		}
	}
	for _, g := range c.Groups() {
		list(g.Title, g.ID)
	}
	if len(c.Groups()) > 0 {
		list("Others:", "")
	} else {
		list("Commands:", "")
	}
	if flags := c.LocalFlags(); flags.HasAvailableFlags() {
		fmt.Fprintf(w, "\nFlags:\n%s", flags.FlagUsagesWrapped(80))
	}
	if c.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nFor more, run %s COMMAND --help.\n", c.CommandPath())
	}
}

// Root is a program's command. use begins with its name.
func Root(use, version, long string, stdout, stderr io.Writer) *cobra.Command {
	cobra.EnableCommandSorting = false // they are listed in their order of use
	cobra.MousetrapHelpText = ""       // on Windows, it would end an agent that was started without a terminal
	c := Group(use, "", long)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetHelpFunc(help)
	if version != "" {
		c.Annotations = map[string]string{"version": version}
		c.Flags().Bool("version", false, "print the version")
	}
	c.SetOut(stdout)
	c.SetErr(stderr)
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok { // without the value, which may be anything
			err = fmt.Errorf("--%s %w", wrong.GetFlag().Name, wrong.Unwrap())
		}
		if !c.HasParent() {
			return Usagef("%v", err)
		}
		return Usagef("%s: %v", Name(c), err)
	})
	return c
}

// Name is a command's name, without its program's.
func Name(c *cobra.Command) string {
	if _, name, ok := strings.Cut(c.CommandPath(), " "); ok {
		return name
	}
	return c.Name()
}

// Group is a command that only has commands of its own.
func Group(use, short, long string, list ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Long: long, Args: cobra.ArbitraryArgs}
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) == 0 && c.HasParent():
			return Usagef("%s: a command is missing: %s", Name(c), names(c))
		case len(args) == 0:
			return Usagef("a command is missing")
		case args[0] == "help":
			return c.Help()
		}
		text := "there is no such command: " + args[0]
		if c.HasParent() {
			text = Name(c) + ": " + text + "; there are " + names(c)
		}
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			text += ". Did you mean " + strings.Join(near, " or ") + "?"
		}
		return &UsageError{text}
	}
	c.FParseErrWhitelist.UnknownFlags = true // those of a mistyped command
	c.SuggestionsMinimumDistance = 2
	c.AddCommand(list...)
	return c
}

// names lists the commands of a group.
func names(c *cobra.Command) string {
	var list []string
	for _, c := range c.Commands() {
		list = append(list, c.Name())
	}
	return strings.Join(list, ", ")
}

// Grouped adds commands under a title.
func Grouped(root *cobra.Command, title string, list ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range list {
		c.GroupID = title
	}
	root.AddCommand(list...)
}

// Leaf is a command that takes flags only.
func Leaf(use, short, long string, run func(ctx context.Context) error) *cobra.Command {
	return WithArguments(use, short, long, 0, func(ctx context.Context, _ []string) error { return run(ctx) })
}

// WithArguments is a command that takes at most so many arguments.
func WithArguments(use, short, long string, most int, run func(ctx context.Context, args []string) error) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Long: long}
	c.Args = func(c *cobra.Command, args []string) error {
		switch {
		case len(args) <= most:
			return nil
		case most == 0:
			return Usagef("%s takes no arguments", Name(c))
		default:
			return Usagef("%s takes at most %d argument(s)", Name(c), most)
		}
	}
	c.RunE = func(c *cobra.Command, args []string) error { return run(c.Context(), args) }
	c.Flags().SortFlags = false
	return c
}

// value is a flag whose help names what it takes.
type value struct {
	set         func(string) error
	text        string
	placeholder string
}

func (v *value) String() string { return v.text }
func (v *value) Type() string   { return v.placeholder }
func (v *value) Set(text string) error {
	v.text = text
	return v.set(text)
}

// Text adds a flag; into holds its default. The help shows the placeholder after its name.
func Text(c *cobra.Command, into *string, name, placeholder, help string) {
	set := func(text string) error { *into = text; return nil }
	c.Flags().Var(&value{set, *into, placeholder}, name, help)
}

// OneOf adds a flag that takes one of some values, which the shell completes.
func OneOf(c *cobra.Command, into *string, name, placeholder, help string, values ...string) {
	set := func(text string) error {
		if !slices.Contains(values, text) {
			return fmt.Errorf("must be %s or %s", strings.Join(values[:len(values)-1], ", "), values[len(values)-1])
		}
		*into = text
		return nil
	}
	c.Flags().Var(&value{set, *into, placeholder}, name, help)
	_ = c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // it exists
}

// Func adds a flag that may be repeated.
func Func(c *cobra.Command, name, placeholder, help string, set func(string) error) {
	c.Flags().Var(&value{set, "", placeholder}, name, help)
}

// Bool adds a flag without a value.
func Bool(c *cobra.Command, into *bool, name, help string) {
	c.Flags().BoolVar(into, name, false, help)
}

// Given reports whether the command line has a flag.
func Given(c *cobra.Command, name string) bool {
	f := c.Flags().Lookup(name)
	return f != nil && f.Changed
}

var _ pflag.Value = (*value)(nil)
