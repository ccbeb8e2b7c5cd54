package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a program that the run started.
type process struct {
	cmd    *exec.Cmd
	pid    int
	stderr string // the file with its standard error
	done   chan error
	addr   string // HOST:PORT where it listens
	began  time.Time
}

// startLimit bounds a program's start. It reads and verifies a whole vault with a
// million revocations.
const startLimit = 2 * time.Minute

// spawn starts a program. Its standard error goes to a file, as in
// production, so that reading its log costs this process nothing.
func (b *bench) spawn(ctx context.Context, stdout io.Writer, env []string, name string, args ...string) (*process, error) {
	return b.spawnWith(ctx, nil, stdout, env, name, args...)
}

// spawnWith is spawn with a standard input.
func (b *bench) spawnWith(
	ctx context.Context, stdin io.Reader, stdout io.Writer, env []string, name string, args ...string,
) (*process, error) {
	f, err := os.CreateTemp(b.temp, filepath.Base(name)+"-*.log")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.temp, "TMPDIR=" + b.temp, "LANG=C.UTF-8"}, env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, f
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	p := &process{cmd: cmd, stderr: f.Name(), done: make(chan error, 1), began: time.Now()}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w (make build leaves the programs in bin/)", err)
	}
	p.pid = cmd.Process.Pid
	go func() { p.done <- cmd.Wait() }()
	return p, nil
}

// await polls until found reports that the program is up.
func (p *process) await(ctx context.Context, found func() bool) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(startLimit)
	defer limit.Stop()
	for !found() {
		select {
		case <-tick.C:
		case err := <-p.done:
			p.done <- err
			return fmt.Errorf("%s ended: %w\n%s", p.cmd.Path, err, p.tail())
		case <-limit.C:
			return fmt.Errorf("%s did not come up\n%s", p.cmd.Path, p.tail())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// listening searches the log for the line with the address.
func (p *process) listening(mark, before string) func() bool {
	return func() bool {
		text, err := os.ReadFile(p.stderr)
		if err != nil {
			return false
		}
		_, rest, ok := bytes.Cut(text, []byte(mark))
		if !ok {
			return false
		}
		_, rest, ok = bytes.Cut(rest, []byte(before))
		end := bytes.IndexAny(rest, "\" \n")
		if !ok || end < 0 {
			return false
		}
		p.addr = string(rest[:end])
		return true
	}
}

func (p *process) tail() string {
	text, _ := os.ReadFile(p.stderr)
	return string(text[max(0, len(text)-2000):])
}

// stop ends the program in an orderly way.
func (p *process) stop() error {
	select {
	case err := <-p.done:
		return err
	default:
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := <-p.done; err != nil {
		return fmt.Errorf("%s: %w\n%s", p.cmd.Path, err, p.tail())
	}
	return os.Remove(p.stderr)
}

// answers waits for the first 200 from an address.
func answers(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, res.Status)
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

// memory reads a line of /proc/PID/status, in bytes.
func (p *process) memory(field string) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == field+":" {
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err != nil {
				return 0
			}
			return n << 10
		}
	}
	return 0
}

// idle waits until the process has done nothing for a quarter of a second, so that its
// work after the start is not measured.
func (p *process) idle(ctx context.Context) error {
	last, since := p.cpu(), time.Now()
	return p.await(ctx, func() bool {
		now := p.cpu()
		if now-last > clockTick {
			last, since = now, time.Now()
		}
		return time.Since(since) > 250*time.Millisecond
	})
}
