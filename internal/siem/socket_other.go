//go:build !linux

package siem

import "syscall"

// dialControl leaves the system's own timeout for bytes that nobody
// acknowledges.
func dialControl(string, string, syscall.RawConn) error { return nil }
