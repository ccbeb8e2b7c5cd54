//go:build !unix

package durable

import "os"

// LockAlone does not lock here; an open file cannot be removed.
func LockAlone(*os.File) (bool, error) { return true, nil }
