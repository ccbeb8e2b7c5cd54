//go:build !unix

package backup

import "os"

// lockAlone does not lock here; an open file cannot be removed.
func lockAlone(*os.File) (bool, error) { return true, nil }
