package main

import (
	"errors"

	"github.com/keyward/keyward/internal/license"
)

func inspect(args []string, std IO) error {
	f := newFlags("inspect")
	if done, err := f.parse(args, 1, std); done || err != nil {
		return err
	}
	file, err := read(f.set.Arg(0), std)
	if err != nil {
		return err
	}
	return show(f.json, std, file.License, "not verified", "")
}

// errNotValid gives exit code 1 after a printed verdict.
var errNotValid = errors.New("the license is not valid")

func verify(args []string, std IO) error {
	f := newFlags("verify")
	f.text(&f.public, "public-key")
	f.text(&f.installation, "installation-id")
	if done, err := f.parse(args, 1, std); done || err != nil {
		return err
	}
	if err := f.need(map[string]string{"public-key": f.public}); err != nil {
		return err
	}
	keys, err := license.ParseKeys(f.public)
	if err != nil || len(keys) == 0 {
		return usagef("--public-key must be 32 bytes in base64, as keygen prints it")
	}
	file, err := read(f.set.Arg(0), std)
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
