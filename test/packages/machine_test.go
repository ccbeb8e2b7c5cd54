//go:build exhaustive

package packages

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// machine is a minimal Debian that runs its own systemd in a container, on this machine's
// network.
type machine struct {
	root string
	init string // the process ID of its systemd, as seen here
}

// asRoot is a command that root runs.
func asRoot(ctx context.Context, args ...string) *exec.Cmd {
	if os.Geteuid() != 0 {
		args = append([]string{"sudo", "-n", "--"}, args...)
	}
	return exec.CommandContext(ctx, args[0], args[1:]...) // #nosec G204 -- the tests' own
}

// output runs a command to its end, and returns what it wrote, less a newline at the end.
func output(cmd *exec.Cmd) (string, error) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args, " "), err, out.String(), errs.String())
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// boot makes a machine, and waits until its systemd has started what it starts by itself.
func boot(t *testing.T) machine {
	t.Helper()
	archive := must.Get(output(exec.CommandContext(t.Context(), "../../scripts/debian-root")))(t)
	root := filepath.Join(must.Get(os.MkdirTemp("", "keyward-debian"))(t), "root")
	always := context.WithoutCancel(t.Context())
	t.Cleanup(func() { must.Get(output(asRoot(always, "rm", "-rf", filepath.Dir(root))))(t) })
	must.Get(output(asRoot(t.Context(), "mkdir", root)))(t)
	must.Get(output(asRoot(t.Context(), "tar", "-x", "-p", "--numeric-owner", "-f", archive, "-C", root)))(t)

	m := machine{root: root}
	console := &await.Text{}
	nspawn := asRoot(always, "systemd-nspawn", "--quiet", "--directory="+root, "--machine="+filepath.Base(filepath.Dir(root)),
		"--register=no", "--keep-unit", "--boot", "--console=pipe")
	nspawn.Stdout, nspawn.Stderr = console, console
	nspawn.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	must.OK(t, nspawn.Start())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = nspawn.Wait() }()
	t.Cleanup(func() {
		_, _ = output(asRoot(always, "kill", "-KILL", m.init)) // its kernel ends all that it started
		await.From(t, "the container ends", ended)
	})
	await.That(t, "the container's systemd is there", func() bool {
		select {
		case <-ended:
			t.Fatalf("systemd-nspawn ended: %s", console.String())
		default:
		}
		m.init = descendant(nspawn.Process.Pid, "systemd")
		return m.init != ""
	})
	await.That(t, "the container has booted", func() bool {
		state, _ := output(m.command(t, "systemctl", "is-active", "multi-user.target"))
		return state == "active"
	})
	return m
}

// descendant returns the process below another that has a name.
func descendant(pid int, name string) string {
	task := fmt.Sprintf("/proc/%d/task/%d/children", pid, pid)
	children, err := os.ReadFile(task)
	if err != nil {
		return ""
	}
	for child := range strings.FieldsSeq(string(children)) {
		if comm, err := os.ReadFile("/proc/" + child + "/comm"); err == nil && strings.TrimSpace(string(comm)) == name {
			return child
		}
		if n, err := strconv.Atoi(child); err == nil {
			if found := descendant(n, name); found != "" {
				return found
			}
		}
	}
	return ""
}

// command is one that root runs in the container.
func (m machine) command(t *testing.T, args ...string) *exec.Cmd {
	enter := []string{"nsenter", "--target=" + m.init, "--mount", "--pid", "--uts", "--ipc", "--cgroup", "--root", "--wd=/", "--",
		"env", "-i", "PATH=/usr/sbin:/usr/bin", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"}
	return asRoot(t.Context(), append(enter, args...)...)
}

// run runs a command of the container's, which must succeed.
func (m machine) run(t *testing.T, args ...string) string {
	t.Helper()
	return must.Get(output(m.command(t, args...)))(t)
}

// write puts a file into the container.
func (m machine) write(t *testing.T, name, content string) {
	t.Helper()
	m.run(t, "mkdir", "-p", filepath.Dir(name))
	cmd := m.command(t, "sh", "-c", `umask 077 && cat >"$0"`, name)
	cmd.Stdin = strings.NewReader(content)
	must.Get(output(cmd))(t)
}
