// Command keyward-vtoken runs Keyward's virtual PIV tokens behind their own pcscd: a
// testing device for people and programs without a YubiKey. See "keyward-vtoken --help"
// and docs/virtual-token.md.
//
// Exit codes: 0 done, 1 failed, 2 wrong usage.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "keyward-vtoken:", err)
	}
	os.Exit(ExitCode(err))
}

// UsageError is a wrong command line.
type UsageError struct{ text string }

// Error states the mistake, and where the manual is.
func (e *UsageError) Error() string {
	return e.text + "\nTry: keyward-vtoken --help"
}

// ExitCode returns the process's exit code for Run's error.
func ExitCode(err error) int {
	var usage *UsageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		return 2
	}
	return 1
}
