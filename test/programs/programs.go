// Package programs builds the programs that tests drive as they are shipped, with the
// key of test/e2e's license vendor. `make test` builds them once, and scripts/e2e sets
// KEYWARD_BIN to their folder. A test that runs alone builds its own.
package programs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Main is for a TestMain: it has the programs built, runs the tests, and returns the
// exit code. root leads from the package's folder to the module's.
func Main(root string, run func(bin string) int) int {
	if bin := os.Getenv("KEYWARD_BIN"); bin != "" {
		return run(bin)
	}
	bin, err := os.MkdirTemp("", "keyward-bin")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(bin) }()
	key, err := os.ReadFile(filepath.Join(root, "test", "e2e", "testdata", "vendor.pub"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	build := exec.Command(filepath.Join(root, "scripts", "build"), bin)
	build.Env = append(os.Environ(), "LICENSE_PUBLIC_KEYS="+strings.TrimSpace(string(key)))
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the programs do not build: %v\n%s", err, out)
		return 1
	}
	return run(bin)
}
