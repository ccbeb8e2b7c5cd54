package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// keep leaves the directory when the server ends.
func (s *Server) keep() error { return os.WriteFile(filepath.Join(s.dir, "keep"), nil, 0o600) }

// Stop ends the server, and its directory goes.
func (s *Server) Stop() {
	_ = s.hold.Close()
	<-s.ended
	_ = os.RemoveAll(s.dir)
}

// Shutdown stops the server in good order; Restart starts it again.
func (s *Server) Shutdown() error { return s.end(syscall.SIGINT) }

// Kill ends the server and all its processes at once, as a loss of power does;
// Restart starts it again.
func (s *Server) Kill() error { return s.end(syscall.SIGKILL) }

func (s *Server) end(how syscall.Signal) error {
	if err := s.keep(); err != nil {
		return err
	}
	pid, err := s.pid()
	if err != nil {
		return err
	}
	victims := []int{pid}
	if how == syscall.SIGKILL {
		// One that is stopped has no more children.
		if err := send(pid, syscall.SIGSTOP); err != nil {
			return err
		}
		for !slices.Contains([]byte("TZ"), state(pid)) {
			<-time.After(time.Millisecond)
		}
		victims = append(victims, children(pid)...)
	}
	for _, v := range victims {
		if err := send(v, how); err != nil {
			return err
		}
	}
	<-s.ended
	// The memory that they share must be free before the server starts again.
	for _, v := range victims {
		for state(v) != 'Z' {
			<-time.After(time.Millisecond)
		}
	}
	return nil
}

// send sends a signal; to a process that is gone, none.
func send(pid int, signal syscall.Signal) error {
	if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// state is a process's as proc(5) has it: T is stopped, Z ended, as is one that
// is gone.
func state(pid int) byte {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, found := strings.Cut(string(text), ") ")
	if err != nil || !found || rest[0] == 'X' {
		return 'Z'
	}
	return rest[0]
}

// pid is that of the server's first process.
func (s *Server) pid() (int, error) {
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(strings.TrimSpace(line))
}

// children are a process's own.
func children(pid int) []int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil
	}
	var list []int
	for word := range strings.FieldsSeq(string(text)) {
		if n, err := strconv.Atoi(word); err == nil {
			list = append(list, n)
		}
	}
	return list
}

// Ports that servers listen on are below those which systems give to whoever
// asks for any, so that nobody takes one that is free, not while its server is
// down either.
const (
	lowestPort = 20_000
	ports      = 12_000
)

// freePort is one that nobody listens on at the moment.
func freePort() (int, error) {
	for tries := 0; ; tries++ {
		port := lowestPort + rand.N(ports)
		ln, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return port, ln.Close()
		}
		if tries == 100 {
			return 0, err
		}
	}
}
