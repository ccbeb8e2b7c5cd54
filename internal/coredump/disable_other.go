//go:build !unix

package coredump

// disable does nothing: Windows writes no dumps unless an administrator enables them.
func disable() error { return nil }
