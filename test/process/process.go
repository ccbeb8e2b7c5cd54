// Package process runs programs for tests. They end with the test, and with the test's
// own process, however that ends.
package process

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
)

// Process is a started program.
type Process struct {
	Name  string
	Out   await.Text // standard output
	Log   await.Text // standard error
	Ended chan struct{}

	cmd *exec.Cmd
}

// Start starts a command and collects its output; all else (arguments, environment,
// files) is the caller's to set.
func Start(t testing.TB, name string, cmd *exec.Cmd) *Process {
	t.Helper()
	p := &Process{Name: name, cmd: cmd, Ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &p.Out, &p.Log
	cmd.WaitDelay = 5 * time.Second // for the streams, which children may hold open
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig, cmd.SysProcAttr.Setsid = syscall.SIGTERM, true
	started := make(chan error, 1)
	go p.life(started)
	if err := <-started; err != nil {
		t.Fatalf("%s does not start: %v", name, err)
	}
	t.Cleanup(func() {
		p.Stop(t)
		if t.Failed() {
			t.Logf("%s wrote at last:\n%s", name, last(p.Out.String()+p.Log.String()))
		}
	})
	return p
}

// last returns the end of a text, from the start of a line.
func last(text string) string {
	const most = 4 << 10
	if len(text) <= most {
		return text
	}
	_, text, _ = strings.Cut(text[len(text)-most:], "\n")
	return text
}

// life stays on one thread: the kernel signals the child when the thread that created
// it ends (PR_SET_PDEATHSIG).
func (p *Process) life(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.Ended)
	err := p.cmd.Start()
	started <- err
	if err == nil {
		_ = p.cmd.Wait() // ExitCode has the result
	}
}

// PID returns its process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Signal signals only the process, if it is still running.
func (p *Process) Signal(s syscall.Signal) {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		panic(err)
	}
}

// Kill ends it as a power cut would.
func (p *Process) Kill() {
	p.Signal(syscall.SIGKILL)
	<-p.Ended
}

// Stop asks it to end (SIGTERM), and kills it if it does not.
func (p *Process) Stop(t testing.TB) {
	t.Helper()
	p.Signal(syscall.SIGTERM)
	select {
	case <-p.Ended:
	case <-await.Context(t).Done():
		t.Errorf("%s does not stop when it is asked to", p.Name)
		p.Kill()
	}
}

// Wait returns the exit code; -1 means the end by a signal.
func (p *Process) Wait(t testing.TB) int {
	t.Helper()
	await.From(t, p.Name+" ends", p.Ended)
	return p.cmd.ProcessState.ExitCode()
}

// Announces is Tells for the process's log.
func (p *Process) Announces(t testing.TB, mark, until string) (value string) {
	t.Helper()
	return p.Tells(t, &p.Log, mark, until)
}

// Tells waits for a value that the process writes to its Out or Log: the text in a
// complete line from a mark up to a delimiter. It fails if the process ends first.
func (p *Process) Tells(t testing.TB, where *await.Text, mark, until string) (value string) {
	t.Helper()
	where.Find(t, p.Name+" tells "+mark, p.Ended, func(text string) (ok bool) {
		_, rest, ok := strings.Cut(text[:strings.LastIndexByte(text, '\n')+1], mark)
		if ok {
			value, _, ok = strings.Cut(rest, until)
		}
		return ok
	})
	return value
}
