// Command containers reads what engines read, as they do.
//
//	containers compose FILE    # loads a compose file with its .env; prints the project as JSON
//	containers image FILE      # lints a Containerfile; prints the image's configuration as JSON
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/opencontainers/go-digest"
)

func main() {
	commands := map[string]func(file string) error{"compose": compose, "image": image}
	if len(os.Args) != 3 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: containers compose|image FILE")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func compose(file string) error {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithWorkingDirectory(filepath.Dir(file)), cli.WithEnvFiles(), cli.WithDotEnv)
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(project)
}

// bases stands in for the registry: of the images that stages begin with, only names are
// known.
type bases struct{}

func (bases) ResolveImageConfig(_ context.Context, ref string, _ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	return ref, "", []byte(`{"architecture":"amd64","os":"linux","config":{"Env":["PATH=/usr/bin:/bin"]}}`), nil
}

func image(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var warnings []error
	result, err := dockerfile2llb.Dockerfile2LLB(context.Background(), text, dockerfile2llb.ConvertOpt{
		MetaResolver: bases{},
		SourceMap:    llb.NewSourceMap(nil, file, "Dockerfile", text),
		Warn: func(rule, _, _, message string, _ []parser.Range) {
			warnings = append(warnings, fmt.Errorf("%s: %s", rule, message))
		},
	})
	if err := errors.Join(append(warnings, err)...); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result.Image)
}
