package coredump

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// disable also makes the process undumpable: a core_pattern that names a
// program gets the dump whatever the limit says (core(5)), and only so does
// no other process of the same user read the memory (ptrace(2)).
func disable() error {
	var undumpable error
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		undumpable = fmt.Errorf("prctl PR_SET_DUMPABLE: %w", err)
	}
	return errors.Join(undumpable, limit())
}
