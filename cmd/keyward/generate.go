package main

import (
	"bytes"
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/httpapi/resource"
)

// openAPICommand and configurationCommand generate committed files from the code; go
// generate calls them.
func openAPICommand(std IO) *cobra.Command { return generated("openapi", resource.Spec, std) }

func configurationCommand(std IO) *cobra.Command {
	return generated("configuration", func() ([]byte, error) {
		var text bytes.Buffer
		config.Markdown(&text)
		return text.Bytes(), nil
	}, std)
}

func generated(name string, content func() ([]byte, error), std IO) *cobra.Command {
	var file string
	c := commandline.Leaf(name, "", "Writes the file generated from the code.", func(context.Context) error {
		text, err := content()
		if err != nil {
			return err
		}
		if file == "" {
			_, err := std.Stdout.Write(text)
			return err
		}
		return os.WriteFile(file, text, 0o644)
	})
	c.Hidden = true
	commandline.Text(c, &file, "output", "FILE", "where to write it; by default to standard output")
	return c
}
