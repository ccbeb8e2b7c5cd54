package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/textinput"
)

func tokenRegister(std IO) *cobra.Command {
	s := newSignIn(std)
	var n client.NewDevice
	var owner string
	var asJSON bool
	c := commandline.Leaf("register", "register a token",
		"Registers a token. The server generates its secrets; the token gets them when it\nis set up.\n\n"+passwordHelp,
		func(ctx context.Context) error {
			if n.Serial == "" {
				return usagef("token register: --serial is missing")
			}
			return s.with(ctx, func(b *client.Backend) error {
				if owner != "" {
					u, err := b.UserByName(ctx, owner)
					if err != nil {
						return fmt.Errorf("--owner: %w", err)
					}
					n.OwnerID = &u.ID
				}
				d, err := b.RegisterDevice(ctx, n)
				if err != nil {
					return err
				}
				return show(std, asJSON, d, func() { fmt.Fprintf(std.Stdout, "Token %s is registered (%s).\n", d.Serial, d.Status) })
			})
		})
	serialFlag(c, &n.Serial)
	commandline.Text(c, &owner, "owner", "NAME", "the owner's username")
	commandline.Text(c, &n.Label, "label", "TEXT", "a label of your choice")
	commandline.Text(c, &n.FirmwareVersion, "firmware", "VERSION", "for example 5.4.3; decides the management key's algorithm")
	commandline.Bool(c, &asJSON, "json", "print the record as JSON")
	s.flags(c, "username")
	return c
}

// show prints a value as JSON or for people.
func show(std IO, asJSON bool, v any, people func()) error {
	if asJSON {
		return json.NewEncoder(std.Stdout).Encode(v)
	}
	people()
	return nil
}

func tokenList(std IO) *cobra.Command {
	s := newSignIn(std)
	f := client.DeviceFilter{Limit: 500}
	var asJSON bool
	c := commandline.Leaf("list", "list the tokens that you can see", "Lists the tokens that you can see.\n\n"+passwordHelp,
		func(ctx context.Context) error {
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
				return show(std, asJSON, all, func() {
					w := tabwriter.NewWriter(std.Stdout, 0, 8, 2, ' ', 0)
					fmt.Fprintln(w, "SERIAL\tSTATUS\tOWNER\tLABEL\tENROLLED")
					for _, d := range all {
						fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", d.Serial, d.Status, owner(d), d.Label, day(d.EnrolledAt))
					}
					_ = w.Flush()
				})
			})
		})
	commandline.Text(c, &f.Q, "q", "TEXT", "only those that contain it: serial number, label or owner")
	commandline.Text(c, &f.Status, "status", "STATUS", "only those with this status, for example active")
	commandline.Bool(c, &asJSON, "json", "print them as JSON")
	s.flags(c, "username")
	return c
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

func tokenShow(std IO) *cobra.Command {
	s := newSignIn(std)
	var serial string
	var asJSON bool
	c := commandline.Leaf("show", "show a token and its certificates", "Shows a token and its certificates.\n\n"+passwordHelp,
		func(ctx context.Context) error {
			if serial == "" {
				return usagef("token show: --serial is missing")
			}
			return s.with(ctx, func(b *client.Backend) error {
				var d struct {
					client.Device
					Certificates []client.Certificate `json:"certificates"` // whole records, former ones too
				}
				var err error
				if d.Device, err = b.Device(ctx, serial); err != nil {
					return err
				}
				if d.Certificates, err = b.DeviceCertificates(ctx, serial); err != nil {
					return err
				}
				return show(std, asJSON, d, func() {
					fmt.Fprintf(std.Stdout, "Token %s: %s, owner %s, firmware %s, enrolled %s\n", d.Serial,
						d.Status, owner(d.Device), d.FirmwareVersion, day(d.EnrolledAt))
					for _, c := range d.Certificates {
						fmt.Fprintf(std.Stdout, "Slot %s: %s %s, %s, valid until %s, on the token since %s\n",
							c.Slot, c.Status, c.SerialNumber, c.Subject, day(&c.NotAfter), day(c.InstalledAt))
					}
				})
			})
		})
	serialFlag(c, &serial)
	commandline.Bool(c, &asJSON, "json", "print them as JSON")
	s.flags(c, "username")
	return c
}

func tokenSSHKey(std IO) *cobra.Command {
	s := newSignIn(std)
	var serial string
	slot := string(piv.Authentication)
	c := commandline.Leaf("ssh-key", "print a token's key for OpenSSH",
		"Prints the key of a slot's current certificate as a line for ~/.ssh/authorized_keys.\n\n"+passwordHelp,
		func(ctx context.Context) error {
			if serial == "" {
				return usagef("token ssh-key: --serial is missing")
			}
			return s.with(ctx, func(b *client.Backend) error {
				list, err := b.DeviceCertificates(ctx, serial)
				if err != nil {
					return err
				}
				i := slices.IndexFunc(list, func(c client.Certificate) bool { return c.Slot == slot && c.Status == "issued" })
				if i < 0 {
					return fmt.Errorf("token %s has no valid certificate in slot %s", serial, slot)
				}
				file, err := b.CertificatePEM(ctx, list[i].SerialNumber)
				if err != nil {
					return err
				}
				block, _ := textinput.PEM(file)
				if block == nil {
					return errors.New("the server sent no certificate")
				}
				line, err := pki.SSHKey(block.Bytes, serial+"/"+slot)
				if err == nil {
					_, err = fmt.Fprint(std.Stdout, line)
				}
				return err
			})
		})
	serialFlag(c, &serial)
	commandline.OneOf(c, &slot, "slot", "SLOT", "9a, 9c, 9d or 9e", "9a", "9c", "9d", "9e")
	s.flags(c, "username")
	return c
}

func tokenRevokeCertificate(std IO) *cobra.Command {
	s := newSignIn(std)
	var reason string
	var asJSON bool
	c := commandline.WithArguments("revoke-certificate SERIAL_NUMBER", "revoke a certificate",
		`Revokes a certificate. You can't undo this. keyCompromise revokes every
certificate of that key and replaces another reason: you can use it for a
certificate that is already revoked or expired.

`+passwordHelp, 1, func(ctx context.Context, args []string) error {
			number := first(args)
			if number == "" {
				return usagef("token revoke-certificate: give the certificate's serial number first")
			}
			return s.with(ctx, func(b *client.Backend) error {
				c, err := b.Revoke(ctx, number, reason)
				if err != nil {
					return err
				}
				return show(std, asJSON, c, func() { fmt.Fprintf(std.Stdout, "Certificate %s is revoked.\n", c.SerialNumber) })
			})
		})
	commandline.OneOf(c, &reason, "reason", "REASON", "unspecified (default), keyCompromise, affiliationChanged, superseded, "+
		"cessationOfOperation or privilegeWithdrawn", "unspecified", "keyCompromise", "affiliationChanged", "superseded",
		"cessationOfOperation", "privilegeWithdrawn")
	commandline.Bool(c, &asJSON, "json", "print the certificate as JSON")
	s.flags(c, "username")
	return c
}
