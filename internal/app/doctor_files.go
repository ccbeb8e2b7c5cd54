package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/keyward/keyward/internal/hardening"
)

// files looks at the owners and modes of the data directory and of the files with secrets.
func (d *doctor) files(context.Context) {
	fine := true
	if _, err := os.Stat(d.Config.Data); err != nil {
		d.add("files", Failure, "The data directory (DATA) can't be read: "+err.Error())
		return
	}
	if foreign := ofAnother(d.Config.Data); foreign != "" {
		d.add("files", Attention, "They can't be judged: run this as the server's user, "+foreign+".")
		return
	}
	if err := ownData(d.Config); err != nil {
		fine = false
		d.add("files", Failure, err.Error())
	}
	secrets := map[string]string{
		"TLS_KEY_FILE": d.Config.TLSKeyFile, "VAULT_CLIENT_KEY": d.Config.VaultClientKey,
		"LICENSE_SERVICE_KEY_FILE": d.Config.LicenseServiceKeyFile, "PKI_CA_IMPORT_FILE": d.Config.CAImportFile,
	}
	for name, path := range d.Config.Files {
		secrets[name+"_FILE"] = path
	}
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		path := secrets[name]
		if path == "" || closed(filepath.Dir(path)) {
			continue
		}
		switch err := hardening.CheckNotWritableByOthers(path, true); {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			fine = false
			d.add("files", Failure, name+": "+err.Error())
		case err != nil:
			fine = false
			d.add("files", Attention, name+": "+err.Error())
		}
	}
	if fine {
		d.add("files", Fine, "Others can neither change the data directory nor read the secrets.")
	}
	if free, _, known, err := space(d.Config.Data); err == nil && known && free < 1<<30 {
		d.add("files", Attention, fmt.Sprintf("Only %d MiB are left on the disk of %s. Make room.", free>>20, d.Config.Data))
	}
}

// closed reports whether others can't enter a folder, so that the modes of its files don't matter: a
// container's secrets, or one that only the server's user can enter.
func closed(folder string) bool {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return false
	}
	for ; ; folder = filepath.Dir(folder) {
		info, err := os.Stat(folder)
		if folder == "/run/secrets" || err == nil && info.Mode().Perm()&0o001 == 0 {
			return true
		}
		if folder == filepath.Dir(folder) {
			return false
		}
	}
}

// ofAnother names the owner of a folder if that is another user than this one, and this one may do
// everything: what follows from modes holds for the server's user alone.
func ofAnother(folder string) string {
	info, err := os.Stat(folder)
	if err != nil || os.Geteuid() != 0 || hardening.Owned(folder, info) == nil {
		return ""
	}
	id := strconv.Itoa(hardening.Owner(info))
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}
