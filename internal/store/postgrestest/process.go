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

// remover removes a directory when standard input ends, as it does with the test process, however
// that ends. A server may still be ending there, and writing.
const remover = `cat
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	rm -rf "$1" && break
	sleep 0.5
done`

// lend makes the server's directory, and starts its remover.
func (s *Server) lend() error {
	dir, err := os.MkdirTemp(s.as.temporary(), "keyward-pg")
	if err != nil {
		return err
	}
	s.dir, s.remover = dir, account{}.command("sh", "-c", remover, "sh", dir)
	s.remover.SysProcAttr.Setsid = true
	if s.kept, err = s.remover.StdinPipe(); err == nil {
		err = s.remover.Start()
	}
	if err != nil {
		return errors.Join(err, os.Remove(dir))
	}
	return errors.Join(os.Chmod(dir, 0o700), s.as.own(dir))
}

// Stop ends the server and removes its directory.
func (s *Server) Stop() {
	if s.hold != nil {
		s.quit()
	}
	if s.kept != nil {
		_ = s.kept.Close()
		_ = s.remover.Wait()
	}
}

// quit ends the server at once.
func (s *Server) quit() {
	_ = s.hold.Close()
	<-s.ended
}

// Shutdown stops the server cleanly; Restart starts it again.
func (s *Server) Shutdown() error { return s.end(syscall.SIGINT) }

// Kill ends the server and all its processes at once, like a power loss; Restart starts it again.
func (s *Server) Kill() error { return s.end(syscall.SIGKILL) }

func (s *Server) end(how syscall.Signal) error {
	pid, err := s.pid()
	if err != nil {
		return err
	}
	victims := []int{pid}
	if how == syscall.SIGKILL {
		// A stopped process gets no more children.
		if err := send(pid, syscall.SIGSTOP); err != nil {
			return err
		}
		for !slices.Contains([]byte("TZ"), state(pid)) {
			<-time.After(time.Millisecond)
		}
		more, err := children(pid)
		if err != nil {
			return err
		}
		victims = append(victims, more...)
	}
	for _, v := range victims {
		if err := send(v, how); err != nil {
			return err
		}
	}
	<-s.ended
	// Their shared memory must be free before the server starts again.
	for _, v := range victims {
		for state(v) != 'Z' {
			<-time.After(time.Millisecond)
		}
	}
	return nil
}

// send sends a signal; a process that is gone is no error.
func send(pid int, signal syscall.Signal) error {
	if err := syscall.Kill(pid, signal); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// state is a process's state as in proc(5): T is stopped, Z ended, also for one that is gone.
func state(pid int) byte {
	f := stat(strconv.Itoa(pid))
	if f == nil || f[0] == "X" {
		return 'Z'
	}
	return f[0][0]
}

// stat returns the fields of a process's stat, beginning with its state and its parent; nil if the
// process is gone.
func stat(pid string) []string {
	text, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	name := strings.LastIndex(string(text), ") ")
	if err != nil || name < 0 {
		return nil
	}
	if f := strings.Fields(string(text[name+2:])); len(f) > 1 {
		return f
	}
	return nil
}

// pid is the server's first process.
func (s *Server) pid() (int, error) {
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(strings.TrimSpace(line))
}

// children returns those of a server's first process, which always has some.
func children(pid int) ([]int, error) {
	all, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var list []int
	for _, entry := range all {
		n, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue // no process
		}
		if f := stat(entry.Name()); f != nil && f[1] == strconv.Itoa(pid) {
			list = append(list, n)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("/proc shows no child of PostgreSQL's process %d", pid)
	}
	return list, nil
}

// Ports for servers are below those that systems mostly assign to anyone who asks for any.
const (
	lowestPort = 20_000
	ports      = 12_000
)

// freePort returns a port that nobody listens on right now.
func freePort(address string) (int, error) {
	for tries := 0; ; tries++ {
		port := lowestPort + rand.N(ports)
		ln, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort(address, strconv.Itoa(port)))
		if err == nil {
			return port, ln.Close()
		}
		if tries == 100 {
			return 0, err
		}
	}
}
