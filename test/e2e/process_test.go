package e2e_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/keyward/keyward/test/process"
)

// running is one of our programs, with its arguments.
type running struct {
	*process.Process

	args []string
}

// environ is the whole environment of a process under test: nothing of the tester's may
// help it.
func environ(home string, more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8"}, more...)
}

// launch starts one of our programs and ensures that it ends with the test, and with
// the test's process.
func launch(t testing.TB, env []string, stdin, program string, args ...string) *running {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, program), args...)
	cmd.Env, cmd.Stdin, cmd.Dir = env, strings.NewReader(stdin), t.TempDir()
	return &running{process.Start(t, program, cmd), args}
}

// tool runs a program that is not ours to its end.
func tool(t testing.TB, env []string, stdin io.Reader, name string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, stdin, &out, &errs
	// Without a controlling terminal ykman reads the answers to its prompts from
	// standard input.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatalf("%s does not run: %v", name, err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
