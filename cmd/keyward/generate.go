package main

import (
	"bytes"
	"context"
	"flag"
	"os"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/httpapi/resource"
)

// writeOpenAPI and writeConfiguration generate committed files from the code; go
// generate calls them.
func writeOpenAPI(_ context.Context, args []string, std IO) error {
	spec, err := resource.Spec()
	if err != nil {
		return err
	}
	return output("openapi", args, spec, std)
}

func writeConfiguration(_ context.Context, args []string, std IO) error {
	var text bytes.Buffer
	config.Markdown(&text)
	return output("configuration", args, text.Bytes(), std)
}

func output(name string, args []string, content []byte, std IO) error {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	file := fs.String("output", "", "")
	help := "Usage: keyward " + name + " [--output FILE]\n\nWrites the file generated from the code, by default to standard output.\n"
	if done, err := parse(fs, args, help, std); done || err != nil {
		return err
	}
	if *file == "" {
		_, err := std.Stdout.Write(content)
		return err
	}
	return os.WriteFile(*file, content, 0o644)
}
