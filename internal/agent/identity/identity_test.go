package identity_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/agent/identity"
	"github.com/keyward/keyward/test/must"
)

const file = "agent-identity.pem"

// place returns a path that does not exist yet, in a folder that only the user
// may write.
func place(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must.OK(t, os.Chmod(dir, 0o700)) // #nosec G302 -- a folder
	return filepath.Join(dir, "keyward")
}

// TestKeptAcrossStarts: the first start creates the identity, for the user alone;
// concurrent and later starts get the same.
func TestKeptAcrossStarts(t *testing.T) {
	t.Parallel()
	folder := place(t)
	keys := make([][]byte, 16)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			key, err := identity.Load(folder)
			if err != nil {
				t.Error(err)
			}
			keys[i] = key
		})
	}
	all.Wait()
	for _, key := range append(keys, must.Get(identity.Load(folder))(t)) {
		if !bytes.Equal(key, keys[0]) || len(key) == 0 {
			t.Fatal("two starts have two identities")
		}
	}
	if runtime.GOOS != "windows" {
		for path, want := range map[string]os.FileMode{folder: 0o700, filepath.Join(folder, file): 0o600} {
			if got := must.Get(os.Stat(path))(t).Mode().Perm(); got != want {
				t.Errorf("%s has mode %o, want %o", path, got, want)
			}
		}
	}
	if left := must.Get(os.ReadDir(folder))(t); len(left) != 1 {
		t.Errorf("%d files, want the identity alone", len(left))
	}
	if bytes.Equal(must.Get(identity.Load(place(t)))(t), keys[0]) {
		t.Error("two users have one identity")
	}
}

// TestAnotherUsersHandsOff: another user of the machine plants an identity where
// ours should be, or reads ours.
func TestAnotherUsersHandsOff(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		return // the configuration folder is closed to others there
	}
	chmod := func(mode os.FileMode, of ...string) func(*testing.T, string) {
		return func(t *testing.T, folder string) {
			must.OK(t, os.Chmod(filepath.Join(append([]string{folder}, of...)...), mode))
		}
	}
	attacks := map[string]func(t *testing.T, folder string){
		"the file is readable":         chmod(0o640, file),
		"the file is writable":         chmod(0o602, file),
		"the folder is writable":       chmod(0o777),
		"a group may write the folder": chmod(0o770),
		"a sticky folder of its own":   chmod(0o777 | os.ModeSticky),
		"the folder above is writable": chmod(0o777, ".."),
		"the file is a link": func(t *testing.T, folder string) {
			path, theirs := filepath.Join(folder, file), filepath.Join(t.TempDir(), "theirs")
			must.OK(t, os.Rename(path, theirs))
			must.OK(t, os.Symlink(theirs, path))
		},
		"the folder leads to one that is writable": func(t *testing.T, folder string) {
			open := filepath.Join(t.TempDir(), "open")
			must.OK(t, os.Mkdir(open, 0o700))
			must.OK(t, os.Rename(folder, filepath.Join(open, "keyward")))
			must.OK(t, os.Symlink(filepath.Join(open, "keyward"), folder))
			must.OK(t, os.Chmod(open, 0o777)) // #nosec G302 -- the attack
		},
	}
	if os.Geteuid() == 0 { // only root can give files away
		chown := func(of ...string) func(*testing.T, string) {
			return func(t *testing.T, folder string) {
				must.OK(t, os.Chown(filepath.Join(append([]string{folder}, of...)...), 65534, 65534))
			}
		}
		attacks["the file is another's"] = chown(file)
		attacks["the folder is another's"] = chown()
		attacks["the folder above is another's"] = chown("..")
	}
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := place(t)
			_, err := identity.Load(folder)
			must.OK(t, err)
			attack(t, folder)
			if _, err := identity.Load(folder); err == nil {
				t.Error("the agent starts with it")
			}
		})
	}
}

// TestNoIdentity: a file that is not an identity is not silently replaced, since
// it may be a remnant of the user's.
func TestNoIdentity(t *testing.T) {
	t.Parallel()
	folder := place(t)
	_, err := identity.Load(folder)
	must.OK(t, err)
	path := filepath.Join(folder, file)
	good := string(must.Get(os.ReadFile(path))(t))
	for name, content := range map[string]string{
		"empty": "", "half": good[:len(good)/2], "two": good + good, "another block": strings.ReplaceAll(good, "PRIVATE", "PUBLIC"),
		"long": good + strings.Repeat("\n", 8192),
	} {
		must.OK(t, os.WriteFile(path, []byte(content), 0o600))
		if _, err := identity.Load(folder); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v; want an error that names the file", name, err)
		}
		if got := string(must.Get(os.ReadFile(path))(t)); got != content {
			t.Errorf("%s: the file was changed", name)
		}
	}
}
