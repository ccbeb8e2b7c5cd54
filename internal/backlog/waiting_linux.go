package backlog

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// waiting accepts everybody who waits, and that quickly: whoever comes between
// the last of them and the listener's end is lost. take makes connections of them.
func (l *Listener) waiting() (take func() ([]net.Conn, error), err error) {
	var accepted []int
	raw, err := l.SyscallConn()
	if err == nil {
		err = raw.Control(func(listener uintptr) {
			for {
				fd, _, err := syscall.Accept4(int(listener), syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC)
				switch {
				case err == nil:
					accepted = append(accepted, fd)
				case !errors.Is(err, syscall.EINTR) && !errors.Is(err, syscall.ECONNABORTED): // EAGAIN: there is nobody
					return
				}
			}
		})
	}
	return func() (conns []net.Conn, err error) {
		for _, fd := range accepted {
			c, failed := connection(fd)
			if failed == nil {
				conns = append(conns, c)
			}
			err = errors.Join(err, failed)
		}
		return conns, err
	}, err
}

// connection is that of a descriptor, which it takes over.
func connection(fd int) (net.Conn, error) {
	f := os.NewFile(uintptr(fd), "accepted")
	c, err := net.FileConn(f) // of a copy
	return c, errors.Join(err, f.Close())
}
