//go:build exhaustive

package containers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
	"github.com/keyward/keyward/test/socketdir"
)

// engine is Podman with a store of its own. It needs root, and nothing of systemd's.
type engine struct{ store string }

func newEngine(t *testing.T) engine {
	t.Helper()
	e := engine{must.Get(os.MkdirTemp(socketdir.Parent(), "kp"))(t)} // Podman takes 50 characters at most
	t.Cleanup(func() { must.OK(t, os.RemoveAll(e.store)) })
	return e
}

// podman is a command of the engine's.
func (e engine) podman(t *testing.T, args ...string) *exec.Cmd {
	args = append([]string{
		"--root", filepath.Join(e.store, "store"), "--runroot", filepath.Join(e.store, "run"), "--storage-driver", "vfs",
		"--runtime", "runc", "--cgroup-manager", "cgroupfs", "--events-backend", "none",
	}, args...)
	return exec.CommandContext(context.WithoutCancel(t.Context()), "podman", args...) // #nosec G204 -- the tests' own
}

// build builds the image. There is no registry: in place of the images that the stages begin with,
// each gets the /usr of this machine, with what it needs of /etc, and what Go has cached.
func (e engine) build(t *testing.T, version string) {
	t.Helper()
	base := t.TempDir()
	for _, name := range []string{"bin", "lib", "lib64", "sbin"} {
		must.OK(t, os.Symlink("usr/"+name, filepath.Join(base, name)))
	}
	for _, name := range []string{"tmp", "root", "etc/ssl/certs"} {
		must.OK(t, os.MkdirAll(filepath.Join(base, name), 0o700))
	}
	must.Get(run(exec.CommandContext(t.Context(), "cp", "-a", "/etc/alternatives", base+"/etc/")))(t)
	must.Get(run(exec.CommandContext(t.Context(), "cp", "/etc/ssl/certs/ca-certificates.crt", base+"/etc/ssl/certs/")))(t)
	archive := filepath.Join(t.TempDir(), "base.tar")
	must.Get(run(exec.CommandContext(t.Context(), "tar", "-c", "-f", archive, "-C", base, ".")))(t)
	asked := must.Get(run(exec.CommandContext(t.Context(), "go", "env", "GOROOT", "GOMODCACHE", "GOCACHE", "GOPROXY")))(t)
	env := strings.Fields(asked)
	kept := strings.TrimSpace(must.Get(run(exec.CommandContext(t.Context(), top+"scripts/shared")))(t))
	must.Get(run(e.podman(t, "import", "--change", "ENV HOME=/root", "--change", "ENV GOPROXY="+env[3],
		"--change", "ENV PATH="+env[0]+"/bin:/usr/local/bin:/usr/bin", archive, "golang:1.26-bookworm")))(t)
	must.Get(run(e.podman(t, "tag", "golang:1.26-bookworm", "node:24-bookworm-slim")))(t)
	must.Get(run(e.podman(t, "build", "--layers=false", "--pull=never", "--isolation", "chroot", "--format", "docker", "--tag", "keyward",
		"--volume", "/usr:/usr:ro", "--volume", env[1]+":/root/go/pkg/mod", "--volume", env[2]+":/root/.cache/go-build",
		"--volume", kept+":/root/.cache/keyward-tools", "--file", top+"deploy/container/Containerfile",
		"--build-arg", "VERSION="+version, top)))(t)
}

// container is one of the image's.
type container struct {
	engine
	name string
	*process.Process
}

// start runs the image's program, with arguments or its own, confined as compose.yaml says.
// options are Podman's, on volumes, network and environment.
func (e engine) start(t *testing.T, name string, s service, options []string, args ...string) *container {
	t.Helper()
	command := []string{
		"run", "--rm", "--name", name, "--no-healthcheck", "--log-driver", "none",
		"--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096", // Podman's own may be more than there is
		"--user", s.User, fmt.Sprint("--read-only=", s.ReadOnly), "--cap-drop", strings.Join(s.CapDrop, ","), "--memory", s.MemLimit,
	}
	for _, option := range s.SecurityOpt {
		command = append(command, "--security-opt", strings.TrimSuffix(option, ":true")) // as Podman spells it
	}
	command = append(append(append(command, options...), "keyward"), args...)
	t.Cleanup(func() { _ = e.podman(t, "rm", "--force", "--time=0", name).Run() })
	return &container{e, name, process.Start(t, "the container "+name, e.podman(t, command...))}
}

// exec runs a command in the container, with lines for its standard input.
func (c *container) exec(t *testing.T, lines []string, args ...string) (string, error) {
	cmd := c.podman(t, append([]string{"exec", "--interactive", c.name}, args...)...)
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	return run(cmd)
}

// proc is a path below the container's /proc entry on this machine.
func (c *container) proc(t *testing.T, name string) string {
	t.Helper()
	pid := strings.TrimSpace(must.Get(run(c.podman(t, "inspect", "--format", "{{.State.Pid}}", c.name)))(t))
	return filepath.Join("/proc", pid, name)
}

// volume is a folder to mount.
func volume(t *testing.T, owner, group int, mode os.FileMode) string {
	t.Helper()
	folder := must.Get(os.MkdirTemp("", "keyward-volume"))(t)
	t.Cleanup(func() { must.OK(t, os.RemoveAll(folder)) })
	must.OK(t, os.Chown(folder, owner, group))
	must.OK(t, os.Chmod(folder, mode))
	return folder
}
