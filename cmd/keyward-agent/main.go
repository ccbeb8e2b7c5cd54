// Command keyward-agent is the workstation agent: it lets Keyward's page and
// command-line client work on the security tokens of this workstation.
// See "keyward-agent --help" and docs/agent.md.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/keyward/keyward/internal/hardening"
)

// version is set by the build (-ldflags "-X main.version=…").
var version = "dev"

func main() {
	if err := hardening.DisableCoreDumps(); err != nil {
		fmt.Fprintln(os.Stderr, "keyward-agent: could not turn off core dumps:", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process even while a token is being changed.
	context.AfterFunc(ctx, stop)
	err := Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "keyward-agent:", err)
	}
	os.Exit(ExitCode(err))
}
