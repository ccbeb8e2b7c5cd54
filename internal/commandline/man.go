//go:build man

package commandline

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// Execute writes a program's man pages into the folder that is its only argument: that is
// all that a program does that is built with the tag man (make man).
func Execute(_ context.Context, root *cobra.Command, args []string) error {
	root.DisableAutoGenTag = true
	verbatim(root)
	return doc.GenManTree(root, &doc.GenManHeader{Source: "Keyward", Manual: "Keyward"}, strings.Join(args, " "))
}

// verbatim keeps the lines of descriptions as they are in the help.
func verbatim(c *cobra.Command) {
	if c.Long != "" {
		c.Long = "```\n" + c.Long + "\n```"
	}
	for _, child := range c.Commands() {
		verbatim(child)
	}
}
