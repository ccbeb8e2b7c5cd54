package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/commandline"
)

func profilesPreview(std IO) *cobra.Command {
	s := newSignIn(std)
	var serial string
	c := commandline.WithArguments("preview NAME", "show the certificate that would come out of a profile",
		`Shows what a certificate of a profile would say, and warns of what the person lacks
for it, of what the CA isn't for, and of what zlint finds. Without --serial, it is for
a made-up person with every name. Nothing is issued or recorded.

`+passwordHelp, 1,
		func(ctx context.Context, args []string) error {
			if first(args) == "" {
				return usagef("profiles preview: give the profile's name; keyward profiles list shows it")
			}
			return s.with(ctx, func(b *client.Backend) error {
				p, err := b.PreviewProfile(ctx, first(args), serial)
				if err != nil {
					return err
				}
				fmt.Fprint(std.Stdout, p.Text)
				if p.Certificate == nil {
					fmt.Fprintln(std.Stdout, "There would be no certificate.")
				}
				for _, warning := range p.Warnings {
					fmt.Fprintf(std.Stdout, "Warning: %s\n", warning)
				}
				return nil
			})
		})
	serialFlag(c, &serial)
	s.flags(c, "username")
	return c
}
