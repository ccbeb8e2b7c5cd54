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

// remover removes a directory when standard input ends, as it does with the test
// process, whatever ends that. A server may be ending there, and write.
const remover = `cat
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	rm -rf "$1" && break
	sleep 0.5
done`

// lend makes a directory for the server, and who removes it.
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

// Stop ends the server, and its directory goes.
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

// Shutdown stops the server in good order; Restart starts it again.
func (s *Server) Shutdown() error { return s.end(syscall.SIGINT) }

// Kill ends the server and all its processes at once, as a loss of power does;
// Restart starts it again.
func (s *Server) Kill() error { return s.end(syscall.SIGKILL) }

func (s *Server) end(how syscall.Signal) error {
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
	f := stat(strconv.Itoa(pid))
	if f == nil || f[0] == "X" {
		return 'Z'
	}
	return f[0][0]
}

// stat are the fields of a process's stat from its state on; its parent is
// the next. It is nil when the process is gone.
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

// pid is that of the server's first process.
func (s *Server) pid() (int, error) {
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strconv.Atoi(strings.TrimSpace(line))
}

// children are those of a server's first process, which never has none.
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

// Ports that servers listen on are below those which systems mostly give to
// whoever asks for any.
const (
	lowestPort = 20_000
	ports      = 12_000
)

// freePort is one that nobody listens on at the moment.
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
