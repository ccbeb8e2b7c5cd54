package vtoken

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// SystemSocket is the system pcscd's socket.
const SystemSocket = "/run/pcscd/pcscd.comm"

// The messages of pcsclite's client protocol that are needed to list readers
// (winscard_msg.h, protocol 4). Numbers are in native byte order.
const (
	cmdVersion       = 0x11
	cmdReadersState  = 0x12
	protocolMajor    = 4
	protocolMinor    = 4
	maxReaderContext = 16
	statePresent     = 0x04
)

type message struct{ Size, Command uint32 }

type protocolVersion struct {
	Major, Minor int32
	Status       uint32
}

type readerContext struct {
	Name      [128]byte
	Events    uint32
	State     uint32
	Sharing   int32
	ATR       [36]byte // 33 and padding
	ATRLength uint32
	Protocol  uint32
}

// Reader is a reader that a pcscd knows.
type Reader struct {
	Name    string
	Present bool // it holds a card
}

// Readers lists the readers of the pcscd behind a socket.
func Readers(ctx context.Context, socket string) ([]Reader, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	deadline := time.Now().Add(5 * time.Second)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	if err := greet(conn, protocolMinor); err != nil {
		return nil, err
	}
	return states(conn)
}

// greet negotiates the protocol; a daemon that wants another minor version names it,
// and gets it.
func greet(conn net.Conn, minor int32) error {
	version := protocolVersion{Major: protocolMajor, Minor: minor}
	var request bytes.Buffer
	_ = binary.Write(&request, binary.NativeEndian, message{uint32(binary.Size(version)), cmdVersion})
	_ = binary.Write(&request, binary.NativeEndian, version)
	if _, err := conn.Write(request.Bytes()); err != nil {
		return err
	}
	if err := binary.Read(conn, binary.NativeEndian, &version); err != nil {
		return err
	}
	switch {
	case version.Status == 0:
		return nil
	case version.Major == protocolMajor && version.Minor != minor && minor == protocolMinor:
		return greet(conn, version.Minor)
	}
	return fmt.Errorf("pcscd speaks protocol %d.%d, which this program doesn't know", version.Major, version.Minor)
}

func states(conn net.Conn) ([]Reader, error) {
	if err := binary.Write(conn, binary.NativeEndian, message{0, cmdReadersState}); err != nil {
		return nil, err
	}
	var raw [maxReaderContext]readerContext
	if err := binary.Read(conn, binary.NativeEndian, &raw); err != nil {
		return nil, err
	}
	var list []Reader
	for _, r := range raw {
		name, _, _ := bytes.Cut(r.Name[:], []byte{0})
		if len(name) > 0 {
			list = append(list, Reader{Name: string(name), Present: r.State&statePresent != 0})
		}
	}
	return list, nil
}

// YubiKeyReader reports whether the pcscd that clients would use has a reader whose
// name contains Yubi, and returns that name. No pcscd means no reader.
func YubiKeyReader(ctx context.Context) (string, bool) {
	socket := os.Getenv("PCSCLITE_CSOCK_NAME")
	if socket == "" {
		socket = SystemSocket
	}
	list, err := Readers(ctx, socket)
	if err != nil {
		return "", false
	}
	for _, r := range list {
		if bytes.Contains(bytes.ToLower([]byte(r.Name)), []byte("yubi")) {
			return r.Name, true
		}
	}
	return "", false
}

// waitPresence returns when pcscd reports that the nth reader has a card, or has none.
func (h *Host) waitPresence(ctx context.Context, n int, present bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		list, err := Readers(ctx, h.SocketPath())
		if err == nil && n < len(list) && list[n].Present == present {
			return nil
		}
		select {
		case <-h.daemon.done:
			return fmt.Errorf("pcscd has stopped; it wrote:\n%s", h.daemon.log())
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("pcscd did not notice within %v that token %d was %s (it says %+v)",
				patience, h.slots[n].card.Serial(), map[bool]string{true: "plugged", false: "pulled"}[present], list), err)
		case <-tick.C:
		}
	}
}
