package vtoken

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/keyward/keyward/internal/hardening"
)

// ErrNotRunning means that no host runs on a state directory.
var ErrNotRunning = errors.New("no keyward-vtoken is running on this state directory")

// Commands of the control socket.
const (
	CommandPlug         = "plug"
	CommandUnplug       = "unplug"
	CommandFactoryReset = "factory-reset"
)

// request is one line of JSON, as is its reply. The socket is in a folder that only its
// owner can enter.
type request struct {
	Command string `json:"command"`
	Serial  uint32 `json:"serial"`
}

type reply struct {
	Error string `json:"error,omitempty"`
}

// controlPatience bounds one command at the control socket.
const controlPatience = time.Minute

func controlSocket(run string) string { return filepath.Join(run, "control.sock") }

// listenControl serves the control socket until the host closes.
func (h *Host) listenControl() error {
	ctx, cancel := context.WithCancel(context.Background())
	var config net.ListenConfig
	socket, err := config.Listen(ctx, "unix", controlSocket(h.run))
	if err != nil {
		cancel()
		return err
	}
	var busy sync.WaitGroup
	busy.Go(func() {
		for {
			conn, err := socket.Accept()
			if err != nil {
				return
			}
			busy.Go(func() { h.serveControl(ctx, conn) })
		}
	})
	h.onClose(func() error {
		cancel()
		err := socket.Close()
		busy.Wait()
		return err
	})
	return nil
}

func (h *Host) serveControl(ctx context.Context, conn net.Conn) {
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	_ = conn.SetDeadline(time.Now().Add(controlPatience))
	var req request
	var answer reply
	err := json.NewDecoder(conn).Decode(&req)
	if err == nil {
		err = h.control(ctx, req)
	}
	if err != nil {
		answer.Error = err.Error()
	}
	_ = json.NewEncoder(conn).Encode(answer)
}

func (h *Host) control(ctx context.Context, req request) error {
	switch req.Command {
	case CommandPlug:
		return h.Plug(ctx, req.Serial)
	case CommandUnplug:
		return h.Unplug(ctx, req.Serial)
	case CommandFactoryReset:
		return h.FactoryReset(ctx, req.Serial)
	}
	return fmt.Errorf("unknown command %q", req.Command)
}

// checkSocket refuses what another user put in the host's place. A socket's mode
// depends on the umask, but its folder is private.
func checkSocket(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrNotRunning
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is not a socket; remove it", path)
	}
	return hardening.Owned(path, info)
}

// Control sends a command to the host that runs on a state directory, and waits until
// it is done. It returns [ErrNotRunning] if there is none.
func Control(ctx context.Context, stateDir, command string, serial uint32) error {
	d, err := openDir(stateDir)
	if err != nil {
		return err
	}
	if err := checkSocket(controlSocket(d.run())); err != nil {
		return err
	}
	run, done, err := d.shortRun()
	if err != nil {
		return err
	}
	defer done()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", controlSocket(run))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return ErrNotRunning
	}
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	_ = conn.SetDeadline(time.Now().Add(controlPatience))
	if err := json.NewEncoder(conn).Encode(request{command, serial}); err != nil {
		return err
	}
	var answer reply
	if err := json.NewDecoder(conn).Decode(&answer); err != nil {
		return fmt.Errorf("lost the connection to the running keyward-vtoken: %w", err)
	}
	if answer.Error != "" {
		return errors.New(answer.Error)
	}
	return nil
}
