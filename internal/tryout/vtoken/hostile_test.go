package vtoken_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/internal/tryout/vtoken/ifd"
	"github.com/keyward/keyward/test/must"
)

// another is another user's id; only root can give files away.
const another = 65534

// attack does something to one of our private folders, or to the path to it.
type attack func(t *testing.T, folder string)

func mode(m os.FileMode, of ...string) attack {
	return func(t *testing.T, folder string) {
		must.OK(t, os.Chmod(filepath.Join(append([]string{folder}, of...)...), m))
	}
}

// folderAttacks are attacks on any private folder.
func folderAttacks() map[string]attack {
	list := map[string]attack{
		"others may read it":           mode(0o755),
		"a group may write it":         mode(0o770),
		"the folder above is writable": mode(0o777, ".."),
		"it leads to a folder that another may swap": func(t *testing.T, folder string) {
			open := filepath.Join(t.TempDir(), "open")
			must.OK(t, os.Mkdir(open, 0o700))
			must.OK(t, os.Rename(folder, filepath.Join(open, "mine")))
			must.OK(t, os.Symlink(filepath.Join(open, "mine"), folder))
			must.OK(t, os.Chmod(open, 0o777)) // #nosec G302 -- the attack
		},
	}
	if os.Geteuid() == 0 {
		list["another user has swapped it for one of theirs"] = func(t *testing.T, folder string) {
			must.OK(t, os.Rename(folder, folder+".away"))
			must.OK(t, os.CopyFS(folder, os.DirFS(folder+".away")))
			must.OK(t, os.Chmod(folder, 0o700)) // #nosec G302 -- as private as ours was
			must.OK(t, os.Chown(folder, another, another))
		}
		list["the folder above is another's"] = func(t *testing.T, folder string) {
			must.OK(t, os.Chown(filepath.Dir(folder), another, another))
		}
	}
	return list
}

// place returns where one of our folders will be.
func place(t *testing.T) string {
	t.Helper()
	above := filepath.Join(t.TempDir(), "above")
	must.OK(t, os.Mkdir(above, 0o700))
	return filepath.Join(above, "state")
}

// TestAnotherUsersStateIsRefused: an attacker who gets the tool to use their own state
// directory knows its keys; one that they can read reveals ours.
func TestAnotherUsersStateIsRefused(t *testing.T) {
	t.Parallel()
	for name, attack := range folderAttacks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := place(t)
			must.Get(vtoken.Root(folder))(t)
			attack(t, folder)
			if _, err := vtoken.Root(folder); err == nil {
				t.Error("it is used")
			}
			if err := vtoken.Control(t.Context(), folder, vtoken.CommandPlug, 1); err == nil || errors.Is(err, vtoken.ErrNotRunning) {
				t.Errorf("a command is sent to it: %v", err)
			}
		})
	}
}

// TestAnotherUsersDriverIsRefused: the driver is code that pcscd runs as us.
func TestAnotherUsersDriverIsRefused(t *testing.T) {
	t.Parallel()
	attacks := folderAttacks()
	attacks["others may write the driver"] = func(t *testing.T, folder string) {
		mode(0o722, driverIn(t, folder))(t, folder)
	}
	attacks["the driver is a link"] = func(t *testing.T, folder string) {
		path, theirs := filepath.Join(folder, driverIn(t, folder)), filepath.Join(t.TempDir(), "theirs.so")
		must.OK(t, os.Rename(path, theirs))
		must.OK(t, os.Symlink(theirs, path))
	}
	if os.Geteuid() == 0 {
		attacks["the driver is another's"] = func(t *testing.T, folder string) {
			must.OK(t, os.Chown(filepath.Join(folder, driverIn(t, folder)), another, another))
		}
	}
	built := must.Get(ifd.Build(t.Context(), drivers))(t)
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := place(t)
			must.OK(t, os.Mkdir(folder, 0o700))
			must.OK(t, os.WriteFile(filepath.Join(folder, filepath.Base(built)), must.Get(os.ReadFile(built))(t), 0o700)) // #nosec G306 -- a program
			must.Get(ifd.Build(t.Context(), folder))(t)
			attack(t, folder)
			if _, err := ifd.Build(t.Context(), folder); err == nil {
				t.Error("it is used")
			}
		})
	}
}

func driverIn(t *testing.T, folder string) string {
	t.Helper()
	return must.Get(os.ReadDir(folder))(t)[0].Name()
}

// TestAnotherUsersSocketIsRefused: commands go to no other user's host.
func TestAnotherUsersSocketIsRefused(t *testing.T) {
	t.Parallel()
	listen := func(t *testing.T, path string) {
		t.Helper()
		l := must.Get((&net.ListenConfig{}).Listen(t.Context(), "unix", path))(t)
		t.Cleanup(func() { _ = l.Close() })
	}
	attacks := map[string]attack{
		"its folder is a link": func(t *testing.T, folder string) {
			theirs := t.TempDir()
			listen(t, filepath.Join(theirs, "control.sock"))
			must.OK(t, os.Remove(filepath.Join(folder, "run")))
			must.OK(t, os.Symlink(theirs, filepath.Join(folder, "run")))
		},
		"a link leads to another's": func(t *testing.T, folder string) {
			theirs := filepath.Join(t.TempDir(), "s")
			listen(t, theirs)
			must.OK(t, os.Symlink(theirs, filepath.Join(folder, "run", "control.sock")))
		},
	}
	if os.Geteuid() == 0 {
		attacks["it is another's"] = func(t *testing.T, folder string) {
			path := filepath.Join(folder, "run", "control.sock")
			listen(t, path)
			must.OK(t, os.Lchown(path, another, another))
		}
	}
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := place(t)
			must.Get(vtoken.Root(folder))(t)
			attack(t, folder)
			err := vtoken.Control(t.Context(), folder, vtoken.CommandPlug, 1)
			if !regexp.MustCompile("belongs to another user|is no folder|is not a socket").MatchString(fmt.Sprint(err)) {
				t.Errorf("%v", err)
			}
		})
	}
}
