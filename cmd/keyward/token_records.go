package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/keyward/keyward/internal/client"
)

const registerHelp = `Usage: keyward token register --server URL --username U --serial N [flags]

Registers a token. The server generates its secrets; the token gets them when it
is set up.

  --serial N      the token's serial number
  --owner NAME    the owner's username
  --label L       a label of your choice
  --firmware V    for example 5.4.3; decides the management key's algorithm
  --json          print the record as JSON
` + signInHelp

func tokenRegister(ctx context.Context, args []string, std IO) error {
	fs := flag.NewFlagSet("token register", flag.ContinueOnError)
	s := newSignIn(fs, std)
	var n client.NewDevice
	fs.StringVar(&n.Serial, "serial", "", "")
	fs.StringVar(&n.Label, "label", "", "")
	fs.StringVar(&n.FirmwareVersion, "firmware", "", "")
	owner, asJSON := fs.String("owner", "", ""), fs.Bool("json", false, "")
	if done, err := parse(fs, args, registerHelp, std); done || err != nil {
		return err
	}
	if n.Serial == "" {
		return usagef("token register: --serial is missing")
	}
	return s.with(ctx, func(b *client.Backend) error {
		if *owner != "" {
			u, err := b.UserByName(ctx, *owner)
			if err != nil {
				return fmt.Errorf("--owner: %w", err)
			}
			n.OwnerID = &u.ID
		}
		d, err := b.RegisterDevice(ctx, n)
		if err != nil {
			return err
		}
		return show(std, *asJSON, d, func() { fmt.Fprintf(std.Stdout, "Token %s is registered (%s).\n", d.Serial, d.Status) })
	})
}

// show prints a value as JSON or for people.
func show(std IO, asJSON bool, v any, people func()) error {
	if asJSON {
		return json.NewEncoder(std.Stdout).Encode(v)
	}
	people()
	return nil
}

const tokenListHelp = `Usage: keyward token list --server URL --username U [--q TEXT] [--status S] [--json]

` + signInHelp

func tokenList(ctx context.Context, args []string, std IO) error {
	fs := flag.NewFlagSet("token list", flag.ContinueOnError)
	s := newSignIn(fs, std)
	f := client.DeviceFilter{Limit: 500}
	fs.StringVar(&f.Q, "q", "", "")
	fs.StringVar(&f.Status, "status", "", "")
	asJSON := fs.Bool("json", false, "")
	if done, err := parse(fs, args, tokenListHelp, std); done || err != nil {
		return err
	}
	return s.with(ctx, func(b *client.Backend) error {
		all := []client.Device{}
		for {
			p, err := b.Devices(ctx, f)
			if err != nil {
				return err
			}
			all = append(all, p.Items...)
			if p.NextCursor == nil || *p.NextCursor == "" {
				break
			}
			f.Cursor = *p.NextCursor
		}
		return show(std, *asJSON, all, func() {
			w := tabwriter.NewWriter(std.Stdout, 0, 8, 2, ' ', 0)
			fmt.Fprintln(w, "SERIAL\tSTATUS\tOWNER\tLABEL\tENROLLED")
			for _, d := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", d.Serial, d.Status, owner(d), d.Label, day(d.EnrolledAt))
			}
			_ = w.Flush()
		})
	})
}

func owner(d client.Device) string {
	if d.Owner == nil {
		return "-"
	}
	return d.Owner.Username
}

func day(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.UTC().Format(time.DateOnly)
}

const tokenShowHelp = `Usage: keyward token show --server URL --username U --serial N [--json]

` + signInHelp

func tokenShow(ctx context.Context, args []string, std IO) error {
	fs := flag.NewFlagSet("token show", flag.ContinueOnError)
	s := newSignIn(fs, std)
	serial, asJSON := fs.String("serial", "", ""), fs.Bool("json", false, "")
	if done, err := parse(fs, args, tokenShowHelp, std); done || err != nil {
		return err
	}
	if *serial == "" {
		return usagef("token show: --serial is missing")
	}
	return s.with(ctx, func(b *client.Backend) error {
		var d struct {
			client.Device
			Certificates []client.Certificate `json:"certificates"` // whole records, former ones too
		}
		var err error
		if d.Device, err = b.Device(ctx, *serial); err != nil {
			return err
		}
		if d.Certificates, err = b.DeviceCertificates(ctx, *serial); err != nil {
			return err
		}
		return show(std, *asJSON, d, func() {
			fmt.Fprintf(std.Stdout, "Token %s: %s, owner %s, firmware %s, enrolled %s\n", d.Serial,
				d.Status, owner(d.Device), d.FirmwareVersion, day(d.EnrolledAt))
			for _, c := range d.Certificates {
				fmt.Fprintf(std.Stdout, "Slot %s: %s %s, %s, valid until %s, on the token since %s\n",
					c.Slot, c.Status, c.SerialNumber, c.Subject, day(&c.NotAfter), day(c.InstalledAt))
			}
		})
	})
}

const revokeHelp = `Usage: keyward token revoke-certificate SERIAL_NUMBER --reason R --server URL --username U [--json]

Revokes a certificate. You can't undo this. R is unspecified (default),
keyCompromise, affiliationChanged, superseded, cessationOfOperation or
privilegeWithdrawn. keyCompromise revokes every certificate of that key and
replaces another reason: you can use it for a certificate that is already
revoked or expired.

` + signInHelp

func tokenRevokeCertificate(ctx context.Context, args []string, std IO) error {
	fs := flag.NewFlagSet("token revoke-certificate", flag.ContinueOnError)
	s := newSignIn(fs, std)
	reason, asJSON := fs.String("reason", "", ""), fs.Bool("json", false, "")
	number, args := first(args)
	if done, err := parse(fs, args, revokeHelp, std); done || err != nil {
		return err
	}
	if number == "" {
		return usagef("token revoke-certificate: give the certificate's serial number first")
	}
	return s.with(ctx, func(b *client.Backend) error {
		c, err := b.Revoke(ctx, number, *reason)
		if err != nil {
			return err
		}
		return show(std, *asJSON, c, func() { fmt.Fprintf(std.Stdout, "Certificate %s is revoked.\n", c.SerialNumber) })
	})
}
