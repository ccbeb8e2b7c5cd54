// Package warmykman provides tests with a ykman that starts at once. The tool is a
// Python program, and nine tenths of a call are Python's imports; so a process imports
// ykman once (server.py), and forks for each call. The call runs the installed ykman's
// own code, with the caller's arguments, environment, working folder and open files, in
// a session of its own, without a terminal.
//
// A small program of the same name (client) comes before the real one in PATH. The
// agent starts it and may kill it; the fork dies with it.
//
// Some tests use the real one by ColdPath or Real, so that the setup of a user's agent
// stays tested; the tests that watch processes do. KEYWARD_COLD_TOOL=1 makes all tests
// use it.
package warmykman

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/keyward/keyward/test/socketdir"
)

//go:embed server.py
var server []byte

// client is the package of the program that is started as ykman.
const client = "github.com/keyward/keyward/test/warmykman/client"

// PATH at the start of the tests, and its ykman.
var (
	cold            = os.Getenv("PATH")
	script, missing = exec.LookPath("ykman")
)

// ColdPath returns the PATH that leads to the real ykman.
func ColdPath() string { return cold }

// Real returns the path of the real ykman, or why there is none.
func Real() (string, error) { return script, missing }

// Main is for a TestMain: it runs the tests with a warm ykman in PATH, and returns the
// exit code. If there is no ykman, or server.py does not know it, the tests run with
// what there is.
func Main(run func() int) int {
	if os.Getenv("KEYWARD_COLD_TOOL") != "" {
		return run()
	}
	stop, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, "the tests run with a cold ykman:", err)
		return run()
	}
	defer stop()
	return run()
}

// start starts the server, and puts the client into PATH when both are ready.
func start() (stop func(), err error) {
	if missing != nil {
		return nil, missing
	}
	python, err := Python()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(socketdir.Parent(), "ykman-")
	if err != nil {
		return nil, err
	}
	end, err := launch(folder, append(python, filepath.Join(folder, "server.py"), script))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	stop = func() {
		if err := errors.Join(os.Setenv("PATH", cold), end(), os.RemoveAll(folder)); err != nil {
			fmt.Fprintln(os.Stderr, "the warm ykman:", err)
		}
	}
	if err := os.Setenv("PATH", folder+string(filepath.ListSeparator)+cold); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// launch starts the server, builds the client meanwhile, and waits until ykman is
// imported. The server ends with this process, however that ends: only this process
// holds the other end of its standard input.
func launch(folder string, command []string) (end func() error, err error) {
	if err := os.WriteFile(filepath.Join(folder, "server.py"), server, 0o600); err != nil {
		return nil, err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(folder, "socket"), Net: "unix"})
	if err != nil {
		return nil, err
	}
	defer listener.Close()
	listener.SetUnlinkOnClose(false)
	socket, err := listener.File()
	if err != nil {
		return nil, err
	}
	defer socket.Close()

	process := exec.Command(command[0], command[1:]...)
	process.Env = []string{"PATH=" + cold, "HOME=" + folder, "XDG_DATA_HOME=" + folder, "LANG=C.UTF-8", "LC_ALL=C.UTF-8"}
	process.Stderr = os.Stderr
	process.ExtraFiles = []*os.File{socket}
	life, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	ready, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	end = func() error { return errors.Join(life.Close(), process.Wait()) }

	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", filepath.Join(folder, "ykman"), client)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("the client does not build: %w\n%s", err, out), end())
	}
	if _, err := io.ReadFull(ready, make([]byte, 1)); err != nil {
		return nil, errors.Join(errors.New("its server did not start, or did not import ykman"), end())
	}
	return end, nil
}

// Python returns the interpreter of the real ykman, which has the modules that it
// needs.
func Python() ([]string, error) {
	file, err := os.Open(script)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	line, err := bufio.NewReader(file).ReadString('\n')
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if err != nil || !strings.HasPrefix(line, "#!") || !strings.Contains(line, "python") {
		return nil, fmt.Errorf("%s is no Python script", script)
	}
	return words, nil
}
