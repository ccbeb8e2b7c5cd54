//go:build unix

package ykman

import (
	"os"
	"os/exec"
	"syscall"
)

// inherited lists the environment variables that the tool inherits. The last
// names pcscd's socket if it is not the default: the tool must look where the
// agent looks.
var inherited = []string{"PATH", "HOME", "PCSCLITE_CSOCK_NAME"}

// filePath is where the tool finds the file of a call.
const filePath = "/dev/fd/3"

// detach gives the tool a session of its own: without a controlling terminal it
// reads only standard input, and a Ctrl-C at the agent's terminal does not
// interrupt a change. A kill includes the tool's children.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// attachFile makes content readable at filePath through a pipe, so that it is
// never written to a file. content must fit a pipe's buffer (16 KiB is safe
// everywhere).
func attachFile(cmd *exec.Cmd, content []byte) (func(), error) {
	if content == nil {
		return func() {}, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = w.Write(content)
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	cmd.ExtraFiles = []*os.File{r}
	return func() { _ = r.Close() }, nil
}
