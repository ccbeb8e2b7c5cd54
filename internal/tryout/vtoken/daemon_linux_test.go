package vtoken

import (
	"os"
	"strconv"
	"syscall"
	"testing"
)

// A child between its fork and its exec has every file of its parent: what is
// unlocked meanwhile is free all the same.
func TestUnlockedDespiteAChild(t *testing.T) {
	d := dir(t.TempDir())
	unlock, err := d.lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.lock(); err == nil {
		t.Fatal("locked twice")
	}
	inherited := copyOfOpen(t, d.join("lock"))
	defer func() { _ = syscall.Close(inherited) }()
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := d.lock()
	if err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
}

// copyOfOpen gives a second descriptor of an open file, as a child would have.
func copyOfOpen(t *testing.T, path string) int {
	t.Helper()
	const all = "/proc/self/fd"
	entries, err := os.ReadDir(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if target, err := os.Readlink(all + "/" + e.Name()); err == nil && target == path {
			fd, err := strconv.Atoi(e.Name())
			if err != nil {
				t.Fatal(err)
			}
			copied, err := syscall.Dup(fd)
			if err != nil {
				t.Fatal(err)
			}
			syscall.CloseOnExec(copied)
			return copied
		}
	}
	t.Fatal(path, "is not open")
	return 0
}
