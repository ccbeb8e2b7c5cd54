//go:build unix

package hardening

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// limit permanently forbids core files: the hard limit cannot be raised again.
func limit() error {
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("setrlimit RLIMIT_CORE: %w", err)
	}
	return nil
}
