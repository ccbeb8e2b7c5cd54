//go:build unix

package durable

import (
	"errors"
	"os"
	"syscall"
)

// LockAlone locks a file until it is closed or the process ends; false: another has it.
func LockAlone(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
