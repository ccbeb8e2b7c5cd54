// Package programs gives tests the programs that they drive, built as they are
// shipped. One `make test` builds them once: scripts/test says in KEYWARD_BIN
// where they are. A test that runs alone builds its own.
package programs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Main is for a TestMain: it has the programs built, runs the tests, and gives
// the exit code. root leads from the package's folder to the module's.
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
	build := exec.Command(filepath.Join(root, "scripts", "build"), bin)
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the programs do not build: %v\n%s", err, out)
		return 1
	}
	return run(bin)
}
