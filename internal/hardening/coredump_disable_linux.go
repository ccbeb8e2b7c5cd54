package hardening

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// disable also makes the process undumpable: a core_pattern that names a
// program gets the dump regardless of the limit (core(5)), and nothing else
// keeps other processes of the same user from reading the memory (ptrace(2)).
func disable() error {
	var undumpable error
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		undumpable = fmt.Errorf("prctl PR_SET_DUMPABLE: %w", err)
	}
	return errors.Join(undumpable, limit())
}
