//go:build unix && !linux

package hardening

func disable() error { return limit() }
