package vtoken

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
	"github.com/keyward/keyward/internal/tryout/vtoken/ifd"
)

// patience bounds the wait for pcscd, which polls its readers every 0.05 s.
const patience = 20 * time.Second

// slot is one reader and its token. The token is in the reader while the slot listens
// on its socket.
type slot struct {
	card *applet.Card
	path string

	changing sync.Mutex // held during a plug or unplug

	mu     sync.Mutex
	socket *net.UnixListener // nil while unplugged
	link   *net.UnixConn     // the driver's connection, once established
	idle   chan struct{}     // closed when the serving goroutine ended
}

func (s *slot) plugged() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.socket != nil
}

// plug starts listening; the driver connects at its next poll.
func (s *slot) plug() error {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.mu.Lock()
	before, plugged := s.idle, s.socket != nil
	s.mu.Unlock()
	if plugged {
		return nil
	}
	if before != nil {
		<-before // a token that lost its power may still be leaving
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.path, Net: "unix"})
	if err != nil {
		return err
	}
	s.socket, s.idle = socket, make(chan struct{})
	go s.serve(socket, s.idle)
	return nil
}

// serve answers the driver until the token is pulled. The driver reconnects after a
// lost link as long as the token is plugged. A token that lost its power (by a test's
// fault hook) counts as pulled.
func (s *slot) serve(socket *net.UnixListener, idle chan struct{}) {
	defer close(idle)
	for {
		link, err := socket.AcceptUnix()
		if err != nil {
			return
		}
		s.setLink(link)
		err = ifd.Serve(link, s.card)
		if errors.Is(err, ifd.ErrPowerLost) {
			s.stopListening(socket)
		}
		_ = link.Close()
		s.setLink(nil)
	}
}

func (s *slot) setLink(link *net.UnixConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link = link
}

// stopListening removes the socket's name, so that the driver cannot reconnect.
func (s *slot) stopListening(socket *net.UnixListener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.socket == socket {
		s.socket = nil
	}
	_ = socket.Close()
}

// unplug cuts the power at once, then notifies the driver by closing our half of the
// link, and waits until it has closed its own.
func (s *slot) unplug(ctx context.Context) error {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.mu.Lock()
	socket, link, idle := s.socket, s.link, s.idle
	s.mu.Unlock()
	if socket == nil {
		return nil
	}
	s.stopListening(socket)
	s.card.PowerOff()
	if link != nil {
		_ = link.CloseWrite()
	}
	defer func() { _ = s.hangUp() }()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(patience):
		return fmt.Errorf("the reader of token %d did not notice that it was pulled: pcscd is not well", s.card.Serial())
	}
}

// hangUp closes a link that the driver kept.
func (s *slot) hangUp() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == nil {
		return nil
	}
	return s.link.Close()
}

// close pulls the token without waiting for the driver, which is gone.
func (s *slot) close() error {
	s.mu.Lock()
	socket, idle := s.socket, s.idle
	s.mu.Unlock()
	if socket != nil {
		s.stopListening(socket)
	}
	_ = s.hangUp()
	if idle != nil {
		<-idle
	}
	return nil
}
