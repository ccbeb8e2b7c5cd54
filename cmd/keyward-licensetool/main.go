// Command keyward-licensetool creates and checks licenses, for the vendor: it alone
// ever holds the private key. See "keyward-licensetool --help" and docs/license.md.
//
// Exit codes: 0 done, 1 failed or not valid, 2 wrong usage.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/keyward/keyward/internal/commandline"
	"github.com/keyward/keyward/internal/hardening"
)

func main() {
	if err := hardening.DisableCoreDumps(); err != nil {
		fmt.Fprintln(os.Stderr, "keyward-licensetool: could not turn off core dumps:", err)
	}
	err := Run(os.Args[1:], IO{os.Stdin, os.Stdout, os.Stderr, time.Now})
	if err != nil {
		fmt.Fprintln(os.Stderr, "keyward-licensetool:", err)
	}
	os.Exit(ExitCode(err))
}

// IO is what a command reads and writes.
type IO struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Now    func() time.Time
}

// ExitCode returns the process's exit code for Run's error.
func ExitCode(err error) int {
	if err == nil {
		return 0
	}
	if _, usage := errors.AsType[*commandline.UsageError](err); usage {
		return 2
	}
	return 1
}
