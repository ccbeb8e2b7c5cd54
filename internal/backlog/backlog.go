// Package backlog closes a listener without losing whom the kernel has let in.
// A connection is made as soon as the kernel has answered: its client may have
// sent a request, and cannot know that the program has not taken it yet. An
// ordinary Close resets the connections that wait so (listen(2), backlog); a busy
// server that is stopped loses a request or two by that, and no proxy may repeat
// one that changes something.
package backlog

import (
	"errors"
	"net"
	"sync"
)

// Listener is a TCP listener whose Close keeps whoever waits, for Accept to give.
type Listener struct {
	*net.TCPListener

	mu     sync.Mutex
	closed bool
	left   []net.Conn
}

// Keep makes one of a TCP listener. Any other comes back as it is.
func Keep(ln net.Listener) net.Listener {
	if tcp, ok := ln.(*net.TCPListener); ok {
		return &Listener{TCPListener: tcp}
	}
	return ln
}

// Accept gives the next connection; after Close those that waited then, and
// net.ErrClosed after the last of them.
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.TCPListener.Accept()
	if err == nil {
		return c, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.left) == 0 {
		return nil, err
	}
	c, l.left = l.left[0], l.left[1:]
	return c, nil
}

// Close ends listening. Whoever closes goes on to call Accept until it fails, as
// http.Server does.
func (l *Listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return net.ErrClosed
	}
	l.closed = true
	take, err := l.waiting()
	err = errors.Join(err, l.TCPListener.Close())
	conns, failed := take()
	l.left = conns
	return errors.Join(err, failed)
}
