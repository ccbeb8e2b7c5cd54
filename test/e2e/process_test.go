package e2e_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
)

// find gives the rest of the first whole line behind a mark, up to a
// delimiter.
func find(text, mark, until string) (string, bool) {
	_, rest, ok := strings.Cut(text[:strings.LastIndexByte(text, '\n')+1], mark)
	if !ok {
		return "", false
	}
	value, _, ok := strings.Cut(rest, until)
	return value, ok
}

// process is one of our programs, running.
type process struct {
	name  string
	out   await.Text // standard output
	log   await.Text // standard error
	cmd   *exec.Cmd
	ended chan struct{}
}

// environ is all that a process under test gets of the environment: nothing of
// the tester's may help it.
func environ(home string, more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8"}, more...)
}

// launch starts a program of ours and sees to its end: with the test, and with
// the test's own process.
func launch(t testing.TB, env []string, stdin, program string, args ...string) *process {
	t.Helper()
	p := &process{name: program, cmd: exec.Command(filepath.Join(bin, program), args...), ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = env, strings.NewReader(stdin), &p.out, &p.log
	p.cmd.Dir = t.TempDir()
	p.cmd.WaitDelay = 5 * time.Second
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setsid: true}
	started := make(chan error, 1)
	go p.life(started)
	if err := <-started; err != nil {
		t.Fatalf("%s does not start: %v", program, err)
	}
	t.Cleanup(func() { p.end(t) })
	return p
}

// life stays on one thread: the kernel sends the child its signal when the
// thread ends that made it (PR_SET_PDEATHSIG).
func (p *process) life(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.ended)
	err := p.cmd.Start()
	started <- err
	if err == nil {
		_ = p.cmd.Wait() // ProcessState has what came of it
	}
}

// signal reaches the process alone, and it only while it lives.
func (p *process) signal(s syscall.Signal) {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		panic(err)
	}
}

// kill ends it as a power cut would.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.ended
}

// end asks it to stop, and insists when it does not.
func (p *process) end(t testing.TB) {
	p.signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-await.Context(t).Done():
		t.Errorf("%s does not stop when it is asked to; its log:\n%s", p.name, p.log.String())
		p.kill()
	}
	if t.Failed() {
		t.Logf("%s wrote:\n%s", p.name, p.log.String())
	}
}

// wait gives the exit code; -1 is the end by a signal.
func (p *process) wait(t testing.TB) int {
	t.Helper()
	await.From(t, p.name+" ends", p.ended)
	return p.cmd.ProcessState.ExitCode()
}

// announces waits for a value that the process tells, and fails when it ends
// before.
func (p *process) announces(t testing.TB, where *await.Text, mark, until string) (value string) {
	t.Helper()
	where.Find(t, p.name+" tells "+mark, p.ended, func(text string) (ok bool) {
		value, ok = find(text, mark, until)
		return ok
	})
	return value
}

// tool runs a program that is not ours to its end.
func tool(t testing.TB, env []string, stdin io.Reader, name string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, stdin, &out, &errs
	// Without a controlling terminal ykman reads its prompts' answers from
	// standard input.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatalf("%s does not run: %v", name, err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
