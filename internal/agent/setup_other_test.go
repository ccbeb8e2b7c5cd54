//go:build !linux

package agent

import "syscall"

// asUser is used on Linux only.
func asUser(uint32) *syscall.SysProcAttr { return nil }
