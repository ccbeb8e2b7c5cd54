//go:build unix

package backup

import (
	"errors"
	"os"
	"syscall"
)

// lockAlone locks a file until it is closed or the process ends; false: another has it.
func lockAlone(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
