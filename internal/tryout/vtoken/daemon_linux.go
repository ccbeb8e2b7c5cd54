package vtoken

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// enter runs in a private mount namespace. It mounts the run folder where pcscd keeps
// its socket. An empty /run also hides D-Bus, polkit and udev: this pcscd must neither
// ask the system nor use its real readers.
//
//	$1 pcscd   $2 reader file   $3 run folder
const enter = `cd "$3" &&
mount --make-rprivate / &&
mount -t tmpfs -o mode=755 tmpfs /run &&
mkdir /run/pcscd &&
mount --no-canonicalize --bind . /run/pcscd || exit 99
cd /
exec "$1" --foreground --error --config "$2"`

// noMounts is the script's exit code when the system forbids the mounts.
const noMounts = 99

// errNoNamespace means that the system allows no mount namespace, as in a container
// without CAP_SYS_ADMIN.
var errNoNamespace = errors.New("the system doesn't allow pcscd its own mount namespace")

// daemon is a pcscd of our own.
type daemon struct {
	cmd    *exec.Cmd
	logs   string
	socket string        // where clients reach it
	done   chan struct{} // closed when the process has ended
}

// startDaemon starts pcscd with the files of the run folder, and waits until it accepts
// clients. Root without mount namespaces uses the system's own socket path, if no other
// pcscd has it.
func startDaemon(ctx context.Context, program, run string) (*daemon, error) {
	path, err := findPCSCD(program)
	if err != nil {
		return nil, err
	}
	d := &daemon{logs: filepath.Join(run, "pcscd.log"), socket: filepath.Join(run, "pcscd.comm")}
	err = d.launch(ctx, path, run, true)
	if !errors.Is(err, errNoNamespace) {
		return d, err
	}
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("%w; run as root, or allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)", err)
	}
	if _, statErr := os.Lstat(SystemSocket); statErr == nil {
		return nil, fmt.Errorf("%w, and %s belongs to another pcscd: stop that one, or give the container CAP_SYS_ADMIN", err, SystemSocket)
	}
	d.socket = SystemSocket
	return d, d.launch(ctx, path, run, false)
}

// launch starts the process, and ends it if it does not become ready.
func (d *daemon) launch(ctx context.Context, path, run string, private bool) error {
	d.done = make(chan struct{})
	started := make(chan error, 1)
	go d.life(path, run, private, started)
	err := <-started
	if errors.Is(err, syscall.EPERM) && private {
		return errNoNamespace
	}
	if err != nil {
		return fmt.Errorf("starting pcscd failed: %w", err)
	}
	if err := d.waitReady(ctx); err != nil {
		return errors.Join(err, d.stop())
	}
	return nil
}

// findPCSCD also looks where Debian installs it, which is not in every PATH.
func findPCSCD(program string) (string, error) {
	if program != "" {
		return exec.LookPath(program)
	}
	for _, name := range []string{"pcscd", "/usr/sbin/pcscd", "/sbin/pcscd"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("pcscd is not installed: install the package pcscd")
}

// life runs the process on one thread from start to end: the kernel kills the child
// when the thread that created it ends (PR_SET_PDEATHSIG).
func (d *daemon) life(path, run string, private bool, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(d.done)
	cmd, closeFiles, err := d.command(path, run, private)
	if err == nil {
		err = cmd.Start()
		closeFiles()
	}
	d.cmd = cmd
	started <- err
	if err == nil {
		_ = cmd.Wait()
	}
}

func (d *daemon) command(path, run string, private bool) (*exec.Cmd, func(), error) {
	logs, err := os.OpenFile(d.logs, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	// No context: the daemon ends with close, or at the latest with this process.
	cmd := exec.Command(path, "--foreground", "--error", "--config", filepath.Join(run, "reader.conf")) //nolint:noctx // see above
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if private {
		cmd = exec.Command("/bin/sh", "-c", enter, "sh", path, "/run/pcscd/reader.conf", run) //nolint:noctx // see above
		cmd.SysProcAttr = privateMounts()
	}
	cmd.Stdout, cmd.Stderr = logs, logs
	cmd.Env = []string{
		"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
		"PCSCLITE_HP_DROPDIR=/run/pcscd/no-drivers", // no hotplug: never a real reader
	}
	return cmd, func() { _ = logs.Close() }, nil
}

// privateMounts gives the child a mount namespace. Without root it also gets a user
// namespace, in which it is root only over itself.
func privateMounts() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{
		Pdeathsig:  syscall.SIGKILL,
		Cloneflags: syscall.CLONE_NEWNS,
		Setpgid:    true, // a Ctrl-C at the terminal is ours to handle
	}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return attr
}

func (d *daemon) waitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		var dialer net.Dialer
		if conn, err := dialer.DialContext(ctx, "unix", d.socket); err == nil {
			return conn.Close()
		}
		select {
		case <-d.done:
			if d.cmd.ProcessState.ExitCode() == noMounts {
				return errNoNamespace
			}
			return fmt.Errorf("pcscd stopped immediately (%v); it wrote:\n%s", d.cmd.ProcessState, d.log())
		case <-ctx.Done():
			return fmt.Errorf("pcscd is not responding; it wrote:\n%s", d.log())
		case <-tick.C:
		}
	}
}

// log returns pcscd's output.
func (d *daemon) log() string {
	raw, err := os.ReadFile(d.logs)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(raw))
}

// stop ends our own process, first with SIGTERM.
func (d *daemon) stop() error {
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.done:
	case <-time.After(3 * time.Second):
		_ = d.cmd.Process.Kill()
		<-d.done
	}
	return nil
}

// lock ensures that one process at a time uses a state directory. The kernel releases
// the lock when the process ends. A child between fork and exec has the file, too, so
// closing it does not suffice to unlock it.
func (d dir) lock() (unlock func() error, err error) {
	f, err := os.OpenFile(d.join("lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("%s is in use by a running keyward-vtoken: stop it, or choose another --state", d), f.Close())
	}
	return func() error {
		return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
	}, nil
}
