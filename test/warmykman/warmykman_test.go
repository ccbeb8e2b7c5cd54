package warmykman_test

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/socketdir"
	"github.com/keyward/keyward/test/warmykman"
)

func TestMain(m *testing.M) { os.Exit(warmykman.Main(m.Run)) }

// tool makes a call as the agent does: in a new session, with its own environment.
func tool(t *testing.T, path string, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LC_ALL=C.UTF-8"}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// said is the result of a call.
type said struct {
	Out, Err string
	Code     int
}

func call(t *testing.T, path string, args ...string) said {
	t.Helper()
	var out, errs bytes.Buffer
	// Without a daemon, the output is the same wherever the test runs.
	cmd := tool(t, path, []string{"PCSCLITE_CSOCK_NAME=" + filepath.Join(t.TempDir(), "none")}, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Stdin = strings.NewReader("no-key\n")
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	// If Python itself reports an error, the first lines show the caller.
	text := errs.String()
	if lines := strings.SplitAfter(text, "\n"); strings.HasPrefix(text, "Traceback") {
		text = strings.Join(lines[len(lines)-2:], "")
	}
	return said{out.String(), text, cmd.ProcessState.ExitCode()}
}

// ways returns the warm tool and the real one.
func ways(t *testing.T) (warm, real string) {
	t.Helper()
	warm, real = must.Get(exec.LookPath("ykman"))(t), must.Get(warmykman.Real())(t)
	if warm == real && os.Getenv("KEYWARD_COLD_TOOL") == "" {
		t.Fatal("the ykman of the tests is the cold one; why, stands above. KEYWARD_COLD_TOOL=1 has them take it")
	}
	return warm, real
}

// TestAsTheRealOne compares both where no card is needed: output, streams and exit
// codes. (The tests of agent and virtual token use it with cards.)
func TestAsTheRealOne(t *testing.T) {
	t.Parallel()
	warm, real := ways(t)
	for _, args := range [][]string{
		{"--version"},
		{"piv", "access", "--help"},
		{"piv", "no-such-command"},
		{"--device", "no-number", "info"},
		{"piv", "certificates", "import", "9a", "no-such-file"},
		{"--reader", "no such reader", "info"},
		{"list", "--readers"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			want := call(t, real, args...)
			if diff := cmp.Diff(want, call(t, warm, args...)); diff != "" {
				t.Errorf("the warm one differs (-real +warm):\n%s", diff)
			}
			if want == (said{}) {
				t.Error("the real one said nothing: the test proves nothing")
			}
		})
	}
}

// TestKilled kills a call that waits for a silent daemon: its fork ends, too, as the
// daemon sees.
func TestKilled(t *testing.T) {
	t.Parallel()
	warm, _ := ways(t)
	daemon := must.Get(net.Listen("unix", filepath.Join(socketdir.New(t), "socket")))(t)
	t.Cleanup(func() { must.OK(t, daemon.Close()) })

	cmd := tool(t, warm, []string{"PCSCLITE_CSOCK_NAME=" + daemon.Addr().String()}, "info")
	must.OK(t, cmd.Start())
	asked := must.Get(daemon.Accept())(t)
	defer asked.Close()
	must.Get(asked.Read(make([]byte, 1)))(t)
	must.OK(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL))
	_ = cmd.Wait() // killed

	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = io.Copy(io.Discard, asked) // only its end matters
	}()
	await.From(t, "the call's connection ends", over)
}
