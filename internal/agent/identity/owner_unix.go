//go:build unix

package identity

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// checkFile refuses a key that another user owns, reads or changes.
func checkFile(path string, info fs.FileInfo) error {
	if owner(info) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user; remove it, and the agent makes an identity of your own", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is not yours alone (mode %#o); remove it, and the agent makes a new identity: others may have the key",
			path, info.Mode().Perm())
	}
	return nil
}

// checkFolder refuses a folder that another user owns or can write, and one
// that another user could put another in the place of: the same must hold of
// all that lead to it, by name and where the names lead. Root may own those,
// and in one that is sticky, such as /tmp, nobody exchanges what is not theirs.
func checkFolder(folder string) error {
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
		o := owner(info)
		if o != os.Geteuid() && (path == folder || o != 0) {
			return fmt.Errorf("the folder %s belongs to another user, so the agent's identity is not safe there", path)
		}
		sticky := path != folder && info.Mode()&fs.ModeSticky != 0
		if info.Mode().Perm()&0o022 != 0 && !sticky {
			return fmt.Errorf("other users may change the folder %s, so the agent's identity is not safe there; chmod go-w %s", path, path)
		}
		if path == filepath.Dir(path) {
			return nil
		}
	}
}

func owner(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}
