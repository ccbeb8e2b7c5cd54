package pcsc

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// The protocol between pcsc-lite's library and pcscd: messages in native byte
// order, a header of two words (body length, command) before each request and
// none before responses. Version 4.4 (pcsc-lite 1.9) and later signals events;
// older ones are polled twice a second, which costs the daemon a memory copy.
const (
	defaultSocket = "/run/pcscd/pcscd.comm"

	cmdVersion      = 0x11
	cmdReaderStates = 0x12
	cmdWaitChange   = 0x13

	protocolMajor = 4
	protocolMinor = 4

	maxReaders    = 16
	readerName    = 128
	readerStruct  = 184 // name, counter, state, sharing, 33 bytes of ATR, 3 of padding, its length, protocol
	statePresent  = 0x0004
	dialTimeout   = 2 * time.Second
	answerTimeout = 10 * time.Second // the daemon first waits for its readers
	pollInterval  = 500 * time.Millisecond
)

type pcscd struct {
	conn   net.Conn
	events bool
	asked  bool
}

func open(ctx context.Context, socket string) (source, error) {
	if socket == "" {
		socket = os.Getenv("PCSCLITE_CSOCK_NAME")
	}
	if socket == "" {
		socket = defaultSocket
	}
	// A daemon of another version refuses ours but names its own, which the
	// second attempt uses.
	minor := int32(protocolMinor)
	for range 2 {
		conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "unix", socket)
		if err != nil {
			return nil, err
		}
		p := &pcscd{conn: conn}
		theirs, accepted, err := p.version(minor)
		if err == nil && accepted {
			p.events = minor >= protocolMinor
			return p, nil
		}
		p.close()
		if err != nil {
			return nil, err
		}
		minor = theirs
	}
	return nil, errService
}

// version performs the handshake: major, minor and a result, both ways.
func (p *pcscd) version(minor int32) (theirs int32, accepted bool, err error) {
	var ask, answer [3]int32
	ask[0], ask[1] = protocolMajor, minor
	var body bytes.Buffer
	_ = binary.Write(&body, binary.NativeEndian, ask)
	if err := p.send(cmdVersion, body.Bytes()); err != nil {
		return 0, false, err
	}
	raw, err := p.receive(12, answerTimeout)
	if err != nil {
		return 0, false, err
	}
	_ = binary.Read(bytes.NewReader(raw), binary.NativeEndian, &answer)
	if answer[0] != protocolMajor {
		return 0, false, fmt.Errorf("%w: protocol %d.%d", errService, answer[0], answer[1])
	}
	return answer[1], answer[2] == 0, nil
}

func (p *pcscd) next(ctx context.Context) ([]string, error) {
	stop := context.AfterFunc(ctx, func() { _ = p.conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if p.asked {
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
	}
	p.asked = true
	cmd := uint32(cmdReaderStates)
	if p.events {
		cmd = cmdWaitChange // atomically returns the states and registers for the next change
	}
	if err := p.send(cmd, nil); err != nil {
		return nil, err
	}
	raw, err := p.receive(maxReaders*readerStruct, answerTimeout)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return parseReaders(raw)
}

// wait returns when the daemon signals a change. The signal is a timeout and a
// result; neither matters.
func (p *pcscd) wait(ctx context.Context) error {
	if p.events {
		_, err := p.receive(8, 0)
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pollInterval):
		return nil
	}
}

func (p *pcscd) send(command uint32, body []byte) error {
	b := binary.NativeEndian.AppendUint32(nil, uint32(len(body)))
	b = binary.NativeEndian.AppendUint32(b, command)
	_, err := p.conn.Write(append(b, body...))
	return err
}

func (p *pcscd) receive(n int, limit time.Duration) ([]byte, error) {
	if limit > 0 {
		timer := time.AfterFunc(limit, p.close)
		defer timer.Stop()
	}
	b := make([]byte, n)
	_, err := io.ReadFull(p.conn, b)
	return b, err
}

func (p *pcscd) close() { _ = p.conn.Close() }

// parseReaders parses the table of reader states.
func parseReaders(raw []byte) ([]string, error) {
	if len(raw) != maxReaders*readerStruct {
		return nil, errService
	}
	readers := []string{}
	for ; len(raw) > 0; raw = raw[readerStruct:] {
		name, _, ok := bytes.Cut(raw[:readerName], []byte{0})
		if !ok {
			return nil, errService
		}
		state := binary.NativeEndian.Uint32(raw[readerName+4:])
		if len(name) > 0 && state&statePresent != 0 {
			readers = append(readers, string(name))
		}
	}
	return readers, nil
}
