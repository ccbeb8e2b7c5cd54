//go:build unix

package hardening

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// Owned refuses what another user owns.
func Owned(path string, info fs.FileInfo) error {
	if Owner(info) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user", path)
	}
	return nil
}

// CheckOwnerOnly refuses what another user owns, or may read or write.
func CheckOwnerOnly(path string, info fs.FileInfo) error {
	if err := Owned(path, info); err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is accessible to others (mode %#o)", path, info.Mode().Perm())
	}
	return nil
}

// CheckNotWritableByOthers refuses what anyone but this user, root and this process's groups may write or, if it
// is secret, read. The error names the command to fix it. A container's volume belongs to
// root, and to a group of the process (fsGroup).
func CheckNotWritableByOthers(path string, secret bool) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if o := Owner(info); o != os.Geteuid() && o != 0 {
		return fmt.Errorf("%s belongs to another user (%d), who can change it: run chown -R %d %s as root", path, o, os.Geteuid(), path)
	}
	bits, who := fs.FileMode(0o2), ""
	if secret {
		bits = 0o6
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && info.Mode().Perm()&(bits<<3) != 0 {
		groups, err := os.Getgroups()
		if err != nil {
			return err
		}
		if gid := int(s.Gid); gid != os.Getegid() && !slices.Contains(groups, gid) {
			who = "g"
		}
	}
	if info.Mode().Perm()&bits != 0 {
		who += "o"
	}
	switch {
	case who == "":
		return nil
	case secret:
		return fmt.Errorf("other users can read or change %s (mode %#o): run chmod %s-rw %s", path, info.Mode().Perm(), who, path)
	}
	return fmt.Errorf("other users can change %s (mode %#o): run chmod %s-w %s", path, info.Mode().Perm(), who, path)
}

// CheckTrustedPath refuses a folder that another user owns, can write or could replace:
// the same must hold for all its parents, by name and after resolving links.
// Root may own those, and in a sticky one, such as /tmp, nobody can replace
// files of others.
func CheckTrustedPath(folder string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	for _, path := range []string{folder, real} {
		if err := checkWay(path); err != nil {
			return err
		}
	}
	return nil
}

func checkWay(folder string) error {
	for path := folder; ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		o := Owner(info)
		if o != os.Geteuid() && (path == folder || o != 0) {
			return fmt.Errorf("the folder %s belongs to another user", path)
		}
		if writable(info, path != folder) {
			return fmt.Errorf("others can change the folder %s; chmod go-w %s", path, path)
		}
		if path == filepath.Dir(path) {
			return nil
		}
	}
}

// writable reports whether others can replace the entries of a folder. For
// parents, it ignores sticky ones and the user's own group: many systems give
// each user one, which may write everything that the user creates.
func writable(info fs.FileInfo, onTheWay bool) bool {
	bits := info.Mode().Perm() & 0o022
	if onTheWay && ownGroup(info) {
		bits &^= 0o020
	}
	return bits != 0 && (!onTheWay || info.Mode()&fs.ModeSticky == 0)
}

// ownGroup reports whether the group has this user's number.
func ownGroup(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && os.Geteuid() != 0 && int(s.Gid) == os.Geteuid() && int(s.Gid) == os.Getegid()
}

// Private is Steady for a folder that is also this user's Alone. It returns the
// folder's resolved name, which nobody else can redirect.
func Private(folder string) (string, error) {
	if err := CheckTrustedPath(folder); err != nil {
		return "", err
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(real)
	if err != nil {
		return "", err
	}
	return real, CheckOwnerOnly(real, info)
}

// Owner returns the id of the user who owns something; below zero: unknown.
func Owner(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}
