//go:build !linux

package backlog

import "net"

// waiting is nobody: elsewhere an end is as the system makes it.
func (*Listener) waiting() (take func() ([]net.Conn, error), err error) {
	return func() ([]net.Conn, error) { return nil, nil }, nil
}
