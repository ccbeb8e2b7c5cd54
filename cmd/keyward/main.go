// Command keyward is the server with all of its parts, and the command-line
// client. See "keyward help" and docs/configuration.md.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage. Results go to standard output,
// progress to standard error.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // for schedules: some containers have no time zones

	"github.com/keyward/keyward/internal/hardening"
)

// version is set by the build (-ldflags "-X main.version=…").
var version = "dev"

func main() {
	if err := hardening.DisableCoreDumps(); err != nil {
		fmt.Fprintln(os.Stderr, "keyward: could not turn off core dumps:", err)
	}
	withoutFileLimit()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process even while it drains.
	context.AfterFunc(ctx, stop)
	os.Exit(Run(ctx, os.Args[1:], IO{os.Stdin, os.Stdout, os.Stderr, os.Getenv}))
}

// IO is what a command reads and writes.
type IO struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
}
