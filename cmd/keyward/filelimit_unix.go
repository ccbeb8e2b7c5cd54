//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// withoutFileLimit lets a write beyond the file size limit fail, like one on a full
// disk, instead of ending the server.
func withoutFileLimit() { signal.Ignore(syscall.SIGXFSZ) }
