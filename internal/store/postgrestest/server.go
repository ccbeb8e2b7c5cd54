package postgrestest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Options are what a server is started with.
type Options struct {
	// Settings override the server's own.
	Settings map[string]string
	// Listen is an address of this machine, on a port of which the server listens beside its
	// socket. Empty: it does not. A server that is killed and restarted must have it to itself.
	Listen string
	// Certificate and Key are PEM, for TLS.
	Certificate, Key []byte
	// From is a stopped server: this one starts with a copy of its data, as its standby.
	From *Server
}

// Server is a PostgreSQL server of the test process.
type Server struct {
	dir, bin string
	as       account
	options  Options
	port     int
	password string

	process *exec.Cmd // the watcher
	remover *exec.Cmd // of the directory
	kept    io.Closer // the directory is kept until this is closed
	hold    io.Closer // the watcher stops the server when this is closed
	ended   chan struct{}
}

const superuser = "keyward"

// Start starts a server that ends with the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// New is Start for a program that is no test: the server ends with Stop, or with the program.
func New(o Options) (*Server, error) {
	s := &Server{options: o, password: rand.Text()}
	var err error
	if s.bin, err = programs(); err != nil {
		return nil, err
	}
	if s.as, err = unprivileged(); err != nil {
		return nil, err
	}
	for _, step := range []func() error{s.lend, s.prepare, s.first} {
		if err = step(); err != nil {
			break
		}
	}
	if err != nil {
		s.Stop()
		return nil, fmt.Errorf("postgrestest: %w", err)
	}
	return s, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// prepare makes the data directory.
func (s *Server) prepare() error {
	if from := s.options.From; from != nil {
		s.password = from.password
		if err := s.as.run("cp", "-R", from.data(), s.data()); err != nil {
			return err
		}
		return s.as.run("touch", filepath.Join(s.data(), "standby.signal"))
	}
	// Anyone who can enter the directory may use its socket. A port is open to everybody on this
	// machine.
	password := filepath.Join(s.dir, "password")
	if err := s.as.put(password, []byte(s.password)); err != nil {
		return err
	}
	// It sorts by a human language, like most servers: what must sort by bytes has to say so.
	err := s.as.run(filepath.Join(s.bin, "initdb"), "-D", s.data(), "-U", superuser, "--auth-local=trust", "--auth-host=scram-sha-256",
		"--pwfile="+password, "--encoding=UTF8", "--locale=C", "--locale-provider=icu", "--icu-locale=en", "--no-sync")
	if err != nil || s.options.Key == nil {
		return err
	}
	return errors.Join(s.as.put(filepath.Join(s.data(), "server.crt"), s.options.Certificate),
		s.as.put(filepath.Join(s.data(), "server.key"), s.options.Key))
}

// watcher runs the server and stops it at once when standard input ends, as it does with the test
// process, however that ends.
const watcher = `exec 3<&0
"$@" </dev/null 3<&- &
pid=$!
{ cat <&3; kill -QUIT "$pid"; } >/dev/null 2>&1 &
wait "$pid"
code=$?
kill "$!" 2>/dev/null
exit "$code"`

// startsWithin bounds the wait for a server that neither ends nor accepts connections.
const startsWithin = 5 * time.Minute

// first starts a server, on another port if this one was taken meanwhile.
func (s *Server) first() (err error) {
	s.port = 5432 // the name of a socket, in a directory of its own
	for tries := 1; ; tries++ {
		if s.options.Listen != "" {
			if s.port, err = freePort(s.options.Listen); err != nil {
				return err
			}
		}
		err = s.Restart()
		if err == nil || tries == 3 || !strings.Contains(s.Log(), "could not bind") {
			return err
		}
	}
}

// Restart starts a stopped or killed server, on its former port, and waits until it accepts
// connections.
func (s *Server) Restart() error {
	args := []string{"-c", watcher, "sh", filepath.Join(s.bin, "postgres"), "-D", s.data(), "-k", s.dir, "-p", strconv.Itoa(s.port)}
	for name, value := range s.settings() {
		args = append(args, "-c", name+"="+value)
	}
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := s.as.command("sh", args...)
	cmd.SysProcAttr.Setsid = true // an interrupt from the terminal is for the test
	cmd.Stdout, cmd.Stderr = log, log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	s.process, s.hold, s.ended = cmd, stdin, ended
	go func() { _ = cmd.Wait(); close(ended) }()
	ctx, cancel := context.WithTimeout(context.Background(), startsWithin)
	defer cancel()
	if err := s.Run(ctx, "SELECT 1"); err != nil {
		s.quit()
		return err
	}
	return nil
}

func (s *Server) settings() map[string]string {
	settings := map[string]string{
		// Enough for a machine with many cores, which runs as many tests at once.
		"listen_addresses": s.options.Listen, "max_connections": "1000", "shared_buffers": "32MB", "autovacuum": "off",
		"max_locks_per_transaction": "64", "max_pred_locks_per_transaction": "64", "timezone": "UTC",
	}
	if s.options.Key != nil {
		settings["ssl"] = "on"
	}
	maps.Copy(settings, s.options.Settings)
	return settings
}

// URL reaches a database of the server through its socket.
func (s *Server) URL(database string) string {
	q := url.Values{"host": {s.dir}, "port": {strconv.Itoa(s.port)}}
	return (&url.URL{Scheme: "postgres", User: url.UserPassword(superuser, s.password), Path: "/" + database, RawQuery: q.Encode()}).String()
}

// URLAt reaches a database of the server by TCP, without TLS: at its Address, or at another that
// leads there.
func (s *Server) URLAt(address, database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(superuser, s.password), Host: address, Path: "/" + database}
	u.RawQuery = "sslmode=disable"
	return u.String()
}

// URLWith reaches a database of either server.
func (s *Server) URLWith(database string, other *Server) string {
	q := url.Values{"host": {s.dir + "," + other.dir}, "port": {strconv.Itoa(s.port) + "," + strconv.Itoa(other.port)}}
	return (&url.URL{Scheme: "postgres", User: url.UserPassword(superuser, s.password), Path: "/" + database, RawQuery: q.Encode()}).String()
}

// Address is where the server listens, if it does.
func (s *Server) Address() string { return net.JoinHostPort(s.options.Listen, strconv.Itoa(s.port)) }

// PID is the process whose descendants are all of the server's.
func (s *Server) PID() int { return s.process.Process.Pid }

// Log returns the server's log.
func (s *Server) Log() string {
	text, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}
