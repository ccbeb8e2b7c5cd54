package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/license"
)

func inspectCommand(std IO) *cobra.Command {
	f := &flags{}
	return f.withJSON(file("inspect FILE", "show what is in a license file",
		"Shows what is in a license file, and proves nothing. FILE can be - for standard\ninput.",
		func(path string) error {
			file, err := read(path, std)
			if err != nil {
				return err
			}
			return show(f.json, std, file.License, "not verified", "")
		}))
}

// errNotValid gives exit code 1 after a printed verdict.
var errNotValid = errors.New("the license is not valid")

func verifyCommand(std IO) *cobra.Command {
	f := &flags{}
	c := file("verify FILE", "check a license file",
		`Checks a license file against public keys, the clock and, with
--installation-id, the installation. It exits with code 0 if a server of that
installation would accept it now, unless it has stored one that was issued
later; otherwise with 1. FILE can be - for standard input.`,
		func(path string) error { return f.verify(path, std) })
	commandline.Text(c, &f.public, "public-key", "KEY", "as keygen prints it; separate several with commas")
	commandline.Text(c, &f.installation, "installation-id", "ID", "44 characters")
	return f.withJSON(c)
}

func (f *flags) verify(path string, std IO) error {
	if err := need([2]string{"public-key", f.public}); err != nil {
		return err
	}
	keys, err := license.ParseKeys(f.public)
	if err != nil || len(keys) == 0 {
		return usagef("--public-key must be 32 bytes in base64, as keygen prints it")
	}
	file, err := read(path, std)
	if err != nil {
		return err
	}
	if f.installation == "" {
		f.installation = file.License.InstallationID
	}
	_, err = license.Admit(file, keys, license.Facts{InstallationID: f.installation}, std.Now(), false)
	if rejected, ok := errors.AsType[*license.Rejected](err); ok {
		return errors.Join(show(f.json, std, file.License, rejected.Reason, ""), errNotValid)
	}
	if err != nil {
		return err
	}
	key, err := keys.Verify(file)
	if err != nil {
		return err
	}
	return show(f.json, std, file.License, "valid", license.KeyID(key))
}
