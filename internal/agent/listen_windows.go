package agent

import (
	"syscall"

	"golang.org/x/sys/windows"
)

const soExclusiveAddrUse = ^windows.SO_REUSEADDR // SO_EXCLUSIVEADDRUSE, winsock2.h

func exclusive(_, _ string, c syscall.RawConn) error {
	var err error
	if cerr := c.Control(func(fd uintptr) {
		err = windows.SetsockoptInt(windows.Handle(fd), windows.SOL_SOCKET, soExclusiveAddrUse, 1)
	}); cerr != nil {
		return cerr
	}
	return err
}
