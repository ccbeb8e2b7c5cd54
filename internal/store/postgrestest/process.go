package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
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
		victims = append(victims, children(pid)...)
	}
	for _, v := range victims {
		if err := syscall.Kill(v, how); err != nil && !errors.Is(err, syscall.ESRCH) {
			return err
		}
	}
	<-s.ended
	return nil
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

// freePort is one that nobody listens on at the moment.
func freePort() (int, error) {
	ln, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = ln.Close() }()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(port)
}
