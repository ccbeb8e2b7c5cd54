package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/config"
)

// UsageError is a wrong command line.
type UsageError = commandline.UsageError

func usagef(format string, args ...any) error { return commandline.Usagef(format, args...) }

// The groups of commands, as the help lists them.
const (
	groupServers        = "Servers:"
	groupPeople         = "For people, through a server:"
	groupAdministration = "For whoever runs the server:"
)

// commands is the tree of all commands.
func commands(std IO) *cobra.Command {
	root := commandline.Root("keyward COMMAND", version,
		"Keyward manages hardware tokens, their secrets and their certificates.\n\n"+
			"Exit codes: 0 done, 1 failed, 2 wrong usage.",
		std.Stdout, std.Stderr)
	commandline.Grouped(root, groupServers,
		serverCommand(config.Serve, "run the whole service in one process", std, serve),
		serverCommand(config.Backend, "serve the API only, behind any number of frontends", std, backend),
		serverCommand(config.Frontend, "serve the web pages only, in front of a backend elsewhere", std, frontend),
		serverCommand(config.License, "serve the license only, for backends on other machines", std, licenseCommand),
	)
	commandline.Grouped(root, groupPeople,
		tokenCommand(std), userCommand(std), agentsCommand(std), profilesCommand(std), caCommand(std), passwdCommand(std),
	)
	commandline.Grouped(root, groupAdministration,
		doctorCommand(std), adminCommand(std), backupCommand(std), restoreCommand(std), recoverCommand(std), auditCommand(std),
		migrateCommand(std), vaultCommand(std), sealCommand(std), moveCommand(std), healthcheckCommand(std),
	)
	root.AddCommand(versionCommand(std), openAPICommand(std), configurationCommand(std))
	return root
}

// Run executes one command line and returns the exit code. A command that serves
// returns when ctx ends.
func Run(ctx context.Context, args []string, std IO) int {
	err := commandline.Execute(ctx, commands(std), args)
	if err == nil {
		return 0
	}
	switch {
	case errors.Is(err, errAttention):
		return 1
	case errors.Is(err, errFailure):
		return 3
	}
	fmt.Fprintln(std.Stderr, "keyward:", err)
	if _, ok := errors.AsType[*UsageError](err); ok {
		fmt.Fprintln(std.Stderr, "Try: keyward help")
		return 2
	}
	return 1
}

func versionCommand(std IO) *cobra.Command {
	return commandline.Leaf("version", "print the version", "Prints the version.", func(context.Context) error {
		_, err := fmt.Fprintln(std.Stdout, "keyward", version)
		return err
	})
}

// place is where an installation's settings and data are.
type place struct{ data, config string }

// placed adds a command's flags for the place of the installation that it works on.
func placed(c *cobra.Command) *place {
	p := &place{}
	commandline.Text(c, &p.data, "data", "DIR", `the server's data directory (DATA, default "data")`)
	commandline.Text(c, &p.config, "config", "FILE", "the server's settings file (KEYWARD_CONFIG)")
	return p
}

// settings returns the server settings that a part uses. Everything else comes from
// where "keyward serve" would read it.
func (p *place) settings(part config.Part, std IO) (config.Config, error) {
	cfg, err := p.load(part, std)
	if err != nil {
		return config.Config{}, usagef("%v", err)
	}
	return cfg, nil
}

// load is settings, with the mistakes in them.
func (p *place) load(part config.Part, std IO) (config.Config, error) {
	var args []string
	if p.data != "" {
		args = append(args, "--data", p.data)
	}
	if p.config != "" {
		args = append(args, "--config", p.config)
	}
	return config.LoadFor(part, args, std.Getenv)
}

// serverCommand is a command whose flags are settings of its part.
func serverCommand(
	part config.Part, short string, std IO, run func(ctx context.Context, args []string, std IO) error,
) *cobra.Command {
	var args []string
	c := commandline.Leaf(string(part), short, config.Describe(part), func(ctx context.Context) error { return run(ctx, args, std) })
	for _, f := range config.Flags(part) {
		given := func(value string) error {
			args = append(args, "--"+f.Name, value)
			return nil
		}
		commandline.Func(c, f.Name, f.Placeholder, f.Help, given)
	}
	return c
}
