//go:build unix && !linux

package coredump

func disable() error { return limit() }
