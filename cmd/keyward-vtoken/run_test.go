package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/script"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"keyward-vtoken": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, nil)
}

// call runs a command to its end.
func call(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	var out, progress bytes.Buffer
	err = Run(await.Context(t), args, strings.NewReader(""), &out, &progress)
	return out.String(), err
}

// start runs "run" in the background until the test ends, and returns the first lines
// of its output.
func start(t *testing.T, n int, args ...string) []string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := Run(ctx, append([]string{"run"}, args...), strings.NewReader(""), w, io.Discard)
		_ = w.CloseWithError(errors.Join(err, io.EOF))
		ended <- err
	}()
	t.Cleanup(func() {
		cancel()
		must.OK(t, <-ended)
	})
	var lines []string
	for scan := bufio.NewScanner(r); len(lines) < n && scan.Scan(); {
		lines = append(lines, scan.Text())
	}
	if len(lines) < n {
		t.Fatalf("run printed %q only", lines)
	}
	return lines
}

// present reports whether the first reader has a card.
func present(t *testing.T, socket string) bool {
	t.Helper()
	list, err := vtoken.Readers(t.Context(), socket)
	if err != nil || len(list) == 0 {
		t.Fatalf("readers %v, %v", list, err)
	}
	return list[0].Present
}

func TestRunPlugUnplugReset(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	lines := start(t, 3, "--state", state, "--serial", "7", "--serial", "8", "--firmware", "5.7.1")
	socket, ok := strings.CutPrefix(lines[0], "PCSCLITE_CSOCK_NAME=")
	if !ok || lines[1] != "serial=7" || lines[2] != "serial=8" {
		t.Fatalf("output %q", lines)
	}
	for _, step := range []struct {
		command string
		present bool
	}{{"unplug", false}, {"plug", true}, {"factory-reset", true}} {
		must.Get(call(t, step.command, "7", "--state", state))(t)
		if got := present(t, socket); got != step.present {
			t.Errorf("after %s: present %v", step.command, got)
		}
	}
	if _, err := call(t, "plug", "9", "--state", state); ExitCode(err) != 1 {
		t.Errorf("a foreign token: %v", err)
	}
	if _, err := call(t, "run", "--state", state); ExitCode(err) != 1 {
		t.Errorf("a second instance: %v", err)
	}
	t.Setenv("PCSCLITE_CSOCK_NAME", socket)
	if out, err := call(t, "run", "--if-none", "--state", filepath.Join(t.TempDir(), "state")); err != nil || out != "" {
		t.Errorf("--if-none beside a reader: %q, %v", out, err)
	}
}

// pcscd dies with its parent, even if that is killed, and the next instance takes over.
func TestKilled(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	cmd := exec.Command("keyward-vtoken", "run", "--state", state)
	out := must.Get(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	line := must.Get(bufio.NewReader(out).ReadString('\n'))(t)
	socket := strings.TrimSpace(strings.TrimPrefix(line, "PCSCLITE_CSOCK_NAME="))
	if !present(t, socket) {
		t.Fatal("no token")
	}
	must.OK(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed: an error is expected
	await.That(t, "pcscd ends", func() bool {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	start(t, 2, "--state", state)
}
