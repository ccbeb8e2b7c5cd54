// Package must ends a test when a prerequisite of the rest fails. What is under test is
// compared and reported instead, so that the test continues.
package must

import (
	"os"
	"syscall"
)

// T is a test, a benchmark or a check of a property.
type T interface {
	Helper()
	Fatal(args ...any)
}

// OK ends the test on an error.
func OK(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get returns the result of a call, or ends the test:
//
//	content := must.Get(os.ReadFile(path))(t)
func Get[V any](v V, err error) func(T) V {
	return func(t T) V {
		t.Helper()
		OK(t, err)
		return v
	}
}

// Both is Get for a call that returns two values.
func Both[A, B any](a A, b B, err error) func(T) (A, B) {
	return func(t T) (A, B) {
		t.Helper()
		OK(t, err)
		return a, b
	}
}

// Program writes a program that is run at once. While the file is open for writing, another test's
// fork would inherit it, and running the program would be refused as "text file busy" (golang/go#22315).
func Program(t T, path, content string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	OK(t, os.WriteFile(path, []byte(content), 0o700)) // #nosec G306 -- a program
}
