package hardening_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/keyward/keyward/internal/hardening"
	"github.com/keyward/keyward/test/must"
)

// The test's own program plays the other roles, selected by this variable.
const (
	role   = "COREDUMP_TEST_ROLE"
	victim = "victim"           // has a secret
	secure = "protected victim" // starts like keyward and keyward-agent
	nobody = 65534
	hidden = "HIDDEN=a secret of the victim"
)

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case secure:
		if err := hardening.DisableCoreDumps(); err != nil {
			fmt.Fprintln(os.Stdout, err)
			os.Exit(1)
		}
		fallthrough
	case victim:
		var core unix.Rlimit
		err := unix.Getrlimit(unix.RLIMIT_CORE, &core)
		fmt.Fprintln(os.Stdout, core.Cur, core.Max, err)
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends it
		return
	}
	os.Exit(m.Run())
}

// TestAnotherProcessOfTheUserReadsNoMemory: another process of the same user
// tries to read a process's memory, and to have the kernel write it to a file
// when the process crashes.
func TestAnotherProcessOfTheUserReadsNoMemory(t *testing.T) {
	t.Parallel()
	for _, who := range []string{victim, secure} {
		first, pid, as := start(t, who)
		cmd := exec.CommandContext(t.Context(), "cat", fmt.Sprintf("/proc/%d/environ", pid)) // a part of its memory
		cmd.Dir, cmd.SysProcAttr = "/", as
		got, err := cmd.Output()
		if read := err == nil && bytes.Contains(got, []byte(hidden)); read != (who == victim) {
			t.Errorf("%s: its memory was read: %v (%v)", who, read, err)
		}
		if none := strings.HasPrefix(first, "0 0 "); none != (who == secure) {
			t.Errorf("%s: limits of core files, now and at most: %s", who, first)
		}
	}
}

// start runs a copy of this program, as an unprivileged user if the test can
// choose, and returns its first line.
func start(t *testing.T, who string) (line string, pid int, as *syscall.SysProcAttr) {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "keyward-coredump"))(t)
	t.Cleanup(func() { must.OK(t, os.RemoveAll(dir)) })
	must.OK(t, os.Chmod(dir, 0o755)) // #nosec G302 -- the other user runs it
	program := filepath.Join(dir, "program")
	must.OK(t, os.WriteFile(program, must.Get(os.ReadFile(must.Get(os.Executable())(t)))(t), 0o755)) // #nosec G306 -- as above
	if os.Geteuid() == 0 {
		as = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program) // ends with its standard input
	cmd.Dir, cmd.SysProcAttr, cmd.Env = "/", as, []string{role + "=" + who, hidden}
	in, out := must.Get(cmd.StdinPipe())(t), must.Get(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		must.OK(t, cmd.Wait())
	})
	return must.Get(bufio.NewReader(out).ReadString('\n'))(t), cmd.Process.Pid, as
}
