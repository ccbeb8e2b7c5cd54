package siem

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/line"
	"github.com/keyward/keyward/internal/textinput"
)

const (
	dialTimeout  = 10 * time.Second
	writeTimeout = 10 * time.Second
	// streamSettles: a receiver that has not acknowledged the bytes by then has lost its
	// connection (unackedTimeout), which Check reports.
	streamSettles  = 30 * time.Second
	unackedTimeout = 20 * time.Second
	finishTimeout  = 3 * time.Second
	maxDatagram    = 60_000 // bytes; a UDP datagram over IPv4 has at most 65,507
)

// Syslog sends RFC 5424 messages: one per datagram (RFC 5426), or with octet
// counting over a stream (RFC 6587, section 3.4.1; RFC 5425).
type Syslog struct {
	network  string // udp, tcp, tls, unix
	address  string
	hostname string
	tls      *tls.Config
	settle   time.Duration

	conn   net.Conn
	stream bool
	end    *ending // of a stream
	buf    []byte
	msg    []byte
}

// NewSyslog takes udp://HOST:PORT, tcp://HOST:PORT, tls://HOST:PORT or unix:///PATH,
// and a PEM file with the roots for tls (empty: the system's). It does not dial yet.
func NewSyslog(target, caFile string) (*Syslog, error) {
	network, address, err := ParseTarget(target)
	if err != nil {
		return nil, err
	}
	s := &Syslog{network: network, address: address, settle: streamSettles, hostname: "-"}
	if name, err := os.Hostname(); err == nil && printable(name, 255) {
		s.hostname = name
	}
	if network != "tls" {
		return s, nil
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	s.tls = &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if caFile == "" {
		return s, nil
	}
	pem, err := textinput.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	s.tls.RootCAs = x509.NewCertPool()
	if !textinput.AddRoots(s.tls.RootCAs, pem) {
		return nil, errors.New("the file contains no certificate in PEM format")
	}
	return s, nil
}

var errTarget = errors.New("must be udp://HOST:PORT, tcp://HOST:PORT, tls://HOST:PORT or unix:///PATH")

// ParseTarget parses a receiver's address.
func ParseTarget(target string) (network, address string, err error) {
	u, err := url.Parse(target)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
		return "", "", errTarget
	}
	switch u.Scheme {
	case "unix":
		if u.Host != "" || len(u.Path) < 2 {
			return "", "", errTarget
		}
		return u.Scheme, u.Path, nil
	case "udp", "tcp", "tls":
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil || port == 0 || u.Hostname() == "" || u.Path != "" {
			return "", "", errTarget
		}
		return u.Scheme, u.Host, nil
	}
	return "", "", errTarget
}

// Send implements Sink.
func (s *Syslog) Send(ctx context.Context, entries []audit.Entry) error {
	if err := s.Check(); err != nil {
		return err // what was sent just before may be lost with the connection
	}
	if s.conn == nil {
		if err := s.dial(ctx); err != nil {
			return err
		}
	}
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return s.failed(err)
	}
	s.buf = s.buf[:0]
	for i := range entries {
		s.message(&entries[i])
		if !s.stream {
			if _, err := s.conn.Write(s.msg); err != nil {
				return s.failed(err)
			}
			continue
		}
		s.buf = append(strconv.AppendInt(s.buf, int64(len(s.msg)), 10), ' ')
		s.buf = append(s.buf, s.msg...)
	}
	if len(s.buf) > 0 {
		if _, err := s.conn.Write(s.buf); err != nil {
			return s.failed(err)
		}
	}
	return nil
}

func (s *Syslog) failed(err error) error {
	s.close()
	return err
}

func (s *Syslog) dial(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	d := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3},
		Control: dialControl}
	var err error
	switch s.network {
	case "unix":
		s.stream = false
		if s.conn, err = d.DialContext(ctx, "unixgram", s.address); err == nil {
			return nil
		}
		s.conn, err = d.DialContext(ctx, "unix", s.address)
	case "udp":
		s.conn, err = d.DialContext(ctx, "udp", s.address)
		s.stream = false
		return s.dialled(err)
	case "tls":
		s.conn, err = (&tls.Dialer{NetDialer: &d, Config: s.tls}).DialContext(ctx, "tcp", s.address)
	default:
		s.conn, err = d.DialContext(ctx, "tcp", s.address)
	}
	if err := s.dialled(err); err != nil {
		return err
	}
	s.stream, s.end = true, &ending{done: make(chan struct{})}
	go s.end.watch(s.conn)
	return nil
}

func (s *Syslog) dialled(err error) error {
	if err != nil {
		s.conn = nil
		return fmt.Errorf("dial: %w", err)
	}
	return nil
}

// ending is how a stream ended.
type ending struct {
	done chan struct{}
	err  error // io.EOF if the receiver closed it cleanly; set before done is closed
}

// watch waits for the end of the connection; receivers send nothing.
func (e *ending) watch(conn net.Conn) {
	defer close(e.done)
	buf := make([]byte, 512)
	for e.err == nil {
		_, e.err = conn.Read(buf)
	}
}

// message writes s.msg. Facility 13 is "log audit"; all outcomes but success are
// warnings. Details that do not fit into a datagram are omitted.
func (s *Syslog) message(e *audit.Entry) {
	s.msg = s.render(s.msg[:0], e)
	if s.stream || len(s.msg) <= maxDatagram {
		return
	}
	short := *e
	short.Details = "left out: too long for a datagram"
	s.msg = s.render(s.msg[:0], &short)
}

func (s *Syslog) render(b []byte, e *audit.Entry) []byte {
	const facility, informational, warning = 13 * 8, 6, 4
	severity := int64(facility + informational)
	if e.Outcome != audit.Success {
		severity = facility + warning
	}
	b = append(strconv.AppendInt(append(b, '<'), severity, 10), ">1 "...)
	b = e.At.UTC().AppendFormat(b, "2006-01-02T15:04:05.000000Z")
	b = append(append(append(b, ' '), s.hostname...), " keyward - "...)
	id := string(e.Action)
	if !printable(id, 32) {
		id = "-"
	}
	return line.AppendJSON(append(append(b, id...), " - "...), e)
}

// printable reports whether text is 1 to most characters of PRINTUSASCII.
func printable(text string, most int) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return text != "" && len(text) <= most
}

// Check implements Sink. It closes a connection that has ended.
func (s *Syslog) Check() error {
	if s.conn == nil || !s.stream {
		return nil
	}
	select {
	case <-s.end.done:
		return s.failed(fmt.Errorf("the receiver has closed the connection: %w", s.end.err))
	default:
		return nil
	}
}

// Settle implements Sink. A stream has no acknowledgements of its own: what was sent
// has arrived if the connection is still open a while later.
func (s *Syslog) Settle() time.Duration {
	if s.conn == nil || !s.stream {
		return 0
	}
	return s.settle
}

// Finish implements Sink: a receiver that has read everything closes its side, too.
func (s *Syslog) Finish(ctx context.Context) error {
	defer s.close()
	if s.conn == nil || !s.stream {
		return nil
	}
	half, ok := s.conn.(interface{ CloseWrite() error })
	if !ok {
		return errors.New("the connection cannot be closed in one direction")
	}
	if err := half.CloseWrite(); err != nil {
		return err
	}
	timer := time.NewTimer(finishTimeout)
	defer timer.Stop()
	select {
	case <-s.end.done:
		if !errors.Is(s.end.err, io.EOF) {
			return s.end.err
		}
		return nil
	case <-timer.C:
	case <-ctx.Done():
	}
	return errors.New("the receiver does not confirm the end")
}

func (s *Syslog) close() {
	if s.conn != nil {
		_ = s.conn.Close()
		s.conn = nil
	}
}
