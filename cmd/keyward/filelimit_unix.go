//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// withoutFileLimit has a write past a limit on the size of files fail, as one on a full disk does. It
// does not end the server.
func withoutFileLimit() { signal.Ignore(syscall.SIGXFSZ) }
