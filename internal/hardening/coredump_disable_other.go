//go:build !unix

package hardening

// disable does nothing: Windows writes no dumps unless an administrator enables them.
func disable() error { return nil }
