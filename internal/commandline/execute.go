//go:build !man

package commandline

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

// Execute runs one command line. Its error is a *UsageError for a wrong one.
func Execute(ctx context.Context, root *cobra.Command, args []string) error {
	if version := root.Annotations["version"]; version != "" && len(args) == 1 && args[0] == "--version" {
		_, err := fmt.Fprintln(root.OutOrStdout(), root.Name(), version)
		return err
	}
	root.SetArgs(append([]string{}, args...)) // nil would be the process's
	return root.ExecuteContext(ctx)
}
