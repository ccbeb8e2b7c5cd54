package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/signer"
)

const maxDays = 36500

func issueCommand(std IO) *cobra.Command {
	f := &flags{}
	c := commandline.Leaf("issue", "sign a license",
		`Signs a license for one installation. The customer finds its ID on the page
License. The license goes to standard output, or to a new file.`,
		func(context.Context) error { return f.issue(std) })
	f.withKey(c)
	commandline.Text(c, &f.installation, "installation-id", "ID", "44 characters")
	commandline.Text(c, &f.customer, "customer", "NAME", "who the license is for")
	commandline.Text(c, &f.email, "email", "ADDRESS", "the customer's email address")
	commandline.Text(c, &f.kind, "type", "TYPE", "a type of your choice, such as enterprise")
	c.Flags().IntVar(&f.days, "days", 0, "how long it is valid from now, 1 to 36500 days")
	commandline.Text(c, &f.expire, "expires", "TIME", "when it expires, such as 2027-12-31T23:59:59Z")
	commandline.Text(c, &f.output, "output", "FILE", "where to write the license; never replaces a file")
	return f.withJSON(c)
}

func (f *flags) issue(std IO) error {
	err := need([][2]string{
		{"key", f.key}, {"installation-id", f.installation}, {"customer", f.customer}, {"email", f.email}, {"type", f.kind},
	}...)
	if err != nil {
		return err
	}
	now := std.Now().UTC().Truncate(time.Second)
	expiry, err := f.expiry(now)
	if err != nil {
		return err
	}
	l := license.License{
		InstallationID: f.installation, CustomerName: f.customer, CustomerEmail: f.email, LicenseType: f.kind, IssueDate: now, ExpiryDate: expiry,
	}
	if err := license.Check(l); err != nil { // before somebody types a passphrase
		return refusedFields(err)
	}
	key, err := f.open(std)
	if err != nil {
		return err
	}
	file, err := signer.Issue(key, l)
	if err != nil {
		return refusedFields(err)
	}
	text := append(file.Text(), '\n')
	if f.output == "" {
		_, err = std.Stdout.Write(text)
		return err
	}
	if err := create(f.output, text); err != nil {
		return err
	}
	return show(f.json, std, l, "issued", "")
}

// refusedFields turns a refusal into an error in the flags.
func refusedFields(err error) error {
	if rejected, ok := errors.AsType[*license.Rejected](err); ok {
		return usagef("%v", explained(rejected))
	}
	return err
}

// expiry returns when the license ends.
func (f *flags) expiry(now time.Time) (at time.Time, err error) {
	switch {
	case (f.days != 0) == (f.expire != ""):
		return at, usagef("give either --days or --expires")
	case f.expire == "" && (f.days < 1 || f.days > maxDays):
		return at, usagef("--days must be between 1 and %d", maxDays)
	case f.expire == "":
		return now.AddDate(0, 0, f.days), nil
	}
	if err := at.UnmarshalText([]byte(f.expire)); err != nil {
		return at, usagef("--expires must be a time with its zone, such as 2027-12-31T23:59:59Z")
	}
	if !at.After(now) {
		return at, usagef("--expires is in the past")
	}
	return at, nil
}

// shown is a license as JSON.
type shown struct {
	License license.License `json:"license"`
	Result  string          `json:"result"`
	KeyID   string          `json:"key_id,omitempty"`
}

// show prints a license, and what is known of it.
func show(asJSON bool, std IO, l license.License, result, keyID string) error {
	if asJSON {
		return json.NewEncoder(std.Stdout).Encode(shown{l, result, keyID})
	}
	for _, line := range [][2]string{
		{"customer", l.CustomerName}, {"email", l.CustomerEmail}, {"type", l.LicenseType}, {"installation", l.InstallationID},
		{"issued", moment(l.IssueDate)}, {"expires", moment(l.ExpiryDate)}, {"key", keyID}, {"result", result},
	} {
		if line[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(std.Stdout, "%-13s %s\n", line[0], line[1]); err != nil {
			return err
		}
	}
	return nil
}
