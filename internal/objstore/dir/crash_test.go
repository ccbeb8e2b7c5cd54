package dir_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/objstore"
	"github.com/keyward/keyward/internal/objstore/dir"
	"github.com/keyward/keyward/test/must"
)

// A second process writes, since one cannot survive its own end: TestMain becomes
// that process if childAt names the directory.
const (
	childAt   = "KEYWARD_TEST_CHILD_DIRECTORY"
	childDoes = "KEYWARD_TEST_CHILD_DOES"
)

func TestMain(m *testing.M) {
	if at := os.Getenv(childAt); at != "" {
		child(at, os.Getenv(childDoes))
		return
	}
	os.Exit(m.Run())
}

// child writes its standard input. "limited" has no space for it.
func child(at, does string) {
	if does == "limited" {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}); err != nil {
			panic(err)
		}
	}
	s, err := dir.New(dir.Options{Path: at})
	if err == nil {
		_, err = s.Put(context.Background(), key, &told{r: os.Stdin})
	}
	f, _ := fault.As(err)
	if f == nil {
		panic(fmt.Sprint("no fault: ", err))
	}
	_, _ = fmt.Fprintln(os.Stdout, f.Reason, errors.Is(err, objstore.ErrFull))
}

// told reports when a megabyte was written: when more is requested.
type told struct {
	r io.Reader
	n int
}

// Read implements io.Reader.
func (r *told) Read(p []byte) (int, error) {
	if r.n >= 1<<20 {
		_, _ = fmt.Fprintln(os.Stdout, "half")
		r.n = -1 << 62
	}
	n, err := r.r.Read(p)
	r.n += n
	return n, err
}

func begin(t *testing.T, at, does string) (cmd *exec.Cmd, in io.WriteCloser, out *bufio.Reader) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), must.Get(os.Executable())(t))
	cmd.Env = append(os.Environ(), childAt+"="+at, childDoes+"="+does)
	cmd.Stderr = os.Stderr
	in = must.Get(cmd.StdinPipe())(t)
	stdout := must.Get(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	return cmd, in, bufio.NewReader(stdout)
}

// A killed write leaves nothing that is listed or in the way, and its leftover is swept.
func TestKilled(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	s := open(t, at, "")
	cmd, in, out := begin(t, at, "whole")
	go func() { _, _ = in.Write(make([]byte, 1<<20)) }()
	if line := must.Get(out.ReadString('\n'))(t); line != "half\n" {
		t.Fatalf("it says %q", line)
	}
	must.OK(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if _, err := s.Stat(t.Context(), key); !errors.Is(err, objstore.ErrNotFound) {
		t.Errorf("it is there: %v", err)
	}
	if _, total, err := objstore.Newest(t.Context(), s, 10, ""); total != 0 || err != nil {
		t.Errorf("%d are listed, %v", total, err)
	}
	left := must.Get(os.ReadDir(at))(t)
	if len(left) != 1 || must.Get(left[0].Info())(t).Size() != 1<<20 {
		t.Errorf("left behind: %v", left)
	}
	must.Get(s.Put(t.Context(), key, strings.NewReader("whole")))(t)
	if n, err := s.Sweep(t.Context(), time.Now().Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	if left := must.Get(filepath.Glob(filepath.Join(at, "*")))(t); len(left) != 1 {
		t.Errorf("in the end: %q", left)
	}
}

// A full disk, here by the process's file limit (setrlimit(2)), keeps nothing and is reported.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	cmd, in, out := begin(t, at, "limited")
	go func() {
		_, _ = in.Write(make([]byte, 2<<20))
		_ = in.Close()
	}()
	var said strings.Builder
	must.Get(io.Copy(&said, out))(t)
	must.OK(t, cmd.Wait())
	if lines := strings.Fields(said.String()); len(lines) < 2 || strings.Join(lines[len(lines)-2:], " ") != "backup_directory_full true" {
		t.Errorf("it says %q", said.String())
	}
	if left := must.Get(os.ReadDir(at))(t); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
