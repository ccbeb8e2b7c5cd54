package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/textinput"
)

// profilesCommand is "keyward profiles".
func profilesCommand(std IO) *cobra.Command {
	return commandline.Group("profiles COMMAND", "say what certificates are for, and which slot gets which",
		"Lists and changes the certificate profiles, which say what certificates are for, and\nwhich profile each slot gets.",
		profilesList(std), profilesShow(std), profilesPreview(std), profilesSave(std), profilesDelete(std), profilesSlots(std))
}

func profilesList(std IO) *cobra.Command {
	s := newSignIn(std)
	var asJSON bool
	c := commandline.Leaf("list", "list the certificate profiles", "Lists the certificate profiles.\n\n"+passwordHelp,
		func(ctx context.Context) error {
			return s.with(ctx, func(b *client.Backend) error {
				all, err := b.AllProfiles(ctx)
				if err != nil {
					return err
				}
				return show(std, asJSON, all, func() {
					w := tabwriter.NewWriter(std.Stdout, 0, 8, 2, ' ', 0)
					fmt.Fprintln(w, "NAME\tSLOTS\tIN USE\tDESCRIPTION")
					for _, p := range all {
						fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", p.Name, strings.Join(p.Slots, " "), yes(p.InUse), p.Description)
					}
					_ = w.Flush()
				})
			})
		})
	commandline.Bool(c, &asJSON, "json", "print them as JSON")
	s.flags(c, "username")
	return c
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "-"
}

func profilesShow(std IO) *cobra.Command {
	s := newSignIn(std)
	c := commandline.WithArguments("show NAME", "print a profile as JSON",
		"Prints a profile as JSON, which keyward profiles save takes.\n\n"+passwordHelp, 1,
		func(ctx context.Context, args []string) error {
			if first(args) == "" {
				return usagef("profiles show: give the profile's name; keyward profiles list shows it")
			}
			return s.with(ctx, func(b *client.Backend) error {
				p, err := b.Profile(ctx, first(args))
				if err != nil {
					return err
				}
				out := json.NewEncoder(std.Stdout)
				out.SetIndent("", "  ")
				return out.Encode(client.NewProfile{Name: p.Name, ProfileBody: p.ProfileBody})
			})
		})
	s.flags(c, "username")
	return c
}

func profilesSave(std IO) *cobra.Command {
	s := newSignIn(std)
	var file string
	c := commandline.Leaf("save", "make or change a profile",
		`Makes the profile that a JSON file describes, or changes the one with its name.
Certificates that have it stay as they are. To begin with a copy:

  keyward profiles show logon | sed 's/"logon"/"vpn"/' >vpn.json

`+passwordHelp,
		func(ctx context.Context) error {
			n, err := readProfile(std, file)
			if err != nil {
				return err
			}
			return s.with(ctx, func(b *client.Backend) error {
				all, err := b.AllProfiles(ctx)
				if err != nil {
					return err
				}
				done := "made"
				for _, p := range all {
					if p.Name == n.Name {
						done = "changed"
					}
				}
				if done == "changed" {
					_, err = b.ChangeProfile(ctx, n.Name, n.ProfileBody)
				} else {
					_, err = b.CreateProfile(ctx, n)
				}
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(std.Stdout, "Profile %s is %s.\n", n.Name, done)
				return err
			})
		})
	commandline.Text(c, &file, "file", "FILE", "the profile as JSON; - is standard input, and the password then comes from KEYWARD_PASSWORD")
	s.flags(c, "username")
	return c
}

func readProfile(std IO, file string) (n client.NewProfile, err error) {
	var raw []byte
	switch file {
	case "":
		return n, usagef("profiles save: --file is missing")
	case "-":
		raw, err = io.ReadAll(std.Stdin)
	default:
		raw, err = textinput.ReadFile(file)
	}
	if err != nil {
		return n, fmt.Errorf("--file: %w", err)
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&n); err != nil {
		return n, fmt.Errorf("--file: this is no profile as keyward profiles show prints it: %w", err)
	}
	return n, nil
}

func profilesDelete(std IO) *cobra.Command {
	s := newSignIn(std)
	c := commandline.WithArguments("delete NAME", "delete a profile that no slot gets",
		"Deletes a profile that no slot gets. Certificates that have it stay valid.\n\n"+passwordHelp, 1,
		func(ctx context.Context, args []string) error {
			if first(args) == "" {
				return usagef("profiles delete: give the profile's name; keyward profiles list shows it")
			}
			return s.with(ctx, func(b *client.Backend) error {
				if err := b.DeleteProfile(ctx, first(args)); err != nil {
					return err
				}
				_, err := fmt.Fprintf(std.Stdout, "Profile %s is deleted.\n", first(args))
				return err
			})
		})
	s.flags(c, "username")
	return c
}

func profilesSlots(std IO) *cobra.Command {
	s := newSignIn(std)
	var organization int64
	var set []string
	var plan string
	c := commandline.Leaf("slots", "show or choose which profile each slot gets",
		`Shows which profile each slot's certificates have, and the plan: the slots that a
set-up fills in one go. With --set or --plan, it changes them. An organization has
what it sets itself, and the installation's otherwise. For one certificate for logon,
one for signatures and one for encryption:

  keyward profiles slots --set 9a=logon --set 9c=signature --set 9d=encryption --plan 9a,9c,9d

`+passwordHelp,
		func(ctx context.Context) error {
			return s.with(ctx, func(b *client.Backend) error {
				current, err := b.SlotProfiles(ctx, organization)
				if err != nil {
					return err
				}
				if len(set) > 0 || plan != "" {
					if err := choose(&current, set, plan); err != nil {
						return err
					}
					if err := b.PutSlotProfiles(ctx, organization, current); err != nil {
						return err
					}
				}
				return showSlots(std.Stdout, current)
			})
		})
	commandline.Func(c, "organization", "ID", "those of an organization", func(text string) (err error) {
		organization, err = strconv.ParseInt(text, 10, 64)
		return err
	})
	commandline.Func(c, "set", "SLOT=NAME", "give a slot a profile, none, or inherit (an organization's: as the installation); "+
		"may be repeated",
		func(text string) error {
			set = append(set, text)
			return nil
		})
	commandline.Text(c, &plan, "plan", "SLOTS", "the slots that a set-up fills, separated by commas, or inherit")
	s.flags(c, "username")
	return c
}

const inherit = "inherit"

// choose changes what the command line names.
func choose(s *client.SlotProfiles, set []string, plan string) error {
	slots := map[string]**string{
		"9a": &s.Slots.Authentication, "9c": &s.Slots.Signature, "9d": &s.Slots.KeyManagement, "9e": &s.Slots.CardAuthentication,
	}
	for _, text := range set {
		slot, name, ok := strings.Cut(text, "=")
		into := slots[slot]
		switch {
		case !ok || into == nil || name == "":
			return usagef("profiles slots: --set is a slot and a profile, such as 9a=logon")
		case name == inherit:
			*into = nil
		default:
			*into = &name
		}
	}
	switch plan {
	case "":
	case inherit:
		s.Plan = nil
	default:
		list := strings.Split(plan, ",")
		s.Plan = &list
	}
	return nil
}

func showSlots(out io.Writer, s client.SlotProfiles) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, row := range []struct {
		slot string
		name *string
	}{{"9a", s.Slots.Authentication}, {"9c", s.Slots.Signature}, {"9d", s.Slots.KeyManagement}, {"9e", s.Slots.CardAuthentication}} {
		name := inherit
		if row.name != nil {
			name = *row.name
		}
		fmt.Fprintf(w, "%s\t%s\n", row.slot, name)
	}
	plan := inherit
	if s.Plan != nil {
		plan = strings.Join(*s.Plan, ", ")
	}
	fmt.Fprintf(w, "plan\t%s\n", plan)
	return w.Flush()
}
