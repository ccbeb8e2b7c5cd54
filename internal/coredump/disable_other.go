//go:build !unix

package coredump

// disable has nothing to do: Windows writes no dumps unless an administrator
// asks for them.
func disable() error { return nil }
