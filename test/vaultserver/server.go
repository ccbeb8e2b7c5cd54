package vaultserver

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/programs"
)

// Server is a running Vault, initialized and unsealed.
type Server struct {
	Address string // https://127.0.0.1:PORT
	Standby string // of a second node, if there is one
	CACert  []byte // PEM
	Root    string // the root token

	key  string // the unseal key
	pair pair
	http *http.Client
	pid  int
	stop func()
}

// PID returns the server's process id.
func (s *Server) PID() int { return s.pid }

// shared is the server of a test process. It ends with the process, which closes its
// standard input.
var shared = sync.OnceValues(New)

// New is Start for a program that is not a test: the server ends by Stop, or with the
// program.
func New() (*Server, error) {
	dir, err := os.MkdirTemp("", "keyward-vault")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it has read its certificate
	return start(dir, alone)
}

// Shared is the server that the tests of a process share. It must not be sealed.
func Shared(t testing.TB) *Server {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// nodes is the kind of server by its nodes.
type nodes int

const (
	alone   nodes = iota // one, without others
	first                // the second is sealed
	cluster              // the second stands by
)

// Start runs a server for one test, until it ends. Its certificate also names the
// addresses in more, which lead to it.
func Start(t testing.TB, more ...string) *Server { return startFor(t, alone, more...) }

// StartCluster is Start with a second node, which stands by.
func StartCluster(t testing.TB) *Server { return startFor(t, cluster) }

// StartFirst is StartCluster with the second node still sealed: when the first steps
// down, none is active.
func StartFirst(t testing.TB) *Server { return startFor(t, first) }

func startFor(t testing.TB, n nodes, more ...string) *Server {
	t.Helper()
	s, err := start(t.TempDir(), n, more...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// Stop ends the server, as a crash would.
func (s *Server) Stop() { s.stop() }

func start(dir string, n nodes, more ...string) (*Server, error) {
	pair, err := newPair(dir, more)
	if err != nil {
		return nil, err
	}
	s := &Server{CACert: pair.ca, pair: pair}
	var args []string
	if n != alone {
		args = append(args, "--standby")
	}
	if err := s.launch(n, args...); err != nil {
		return nil, err
	}
	if err := s.begin(n); err != nil {
		s.stop()
		return nil, fmt.Errorf("vault-server: %w", err)
	}
	return s, nil
}

// launch starts the program, still sealed.
func (s *Server) launch(n nodes, args ...string) error {
	binary, err := program()
	if err != nil {
		return err
	}
	args = append(args, "--tls-cert", s.pair.cert, "--tls-key", s.pair.key)
	cmd := exec.Command(binary, args...) // #nosec G204 -- what we built
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	alive, err := cmd.StdinPipe() // closed by whatever ends this process
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.pid, s.stop = cmd.Process.Pid, sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = alive.Close()
		_ = cmd.Wait()
	})
	if err := s.await(stdout, n != alone); err != nil {
		s.stop()
		return fmt.Errorf("vault-server: %w\n%s", err, complaint.String())
	}
	return nil
}

// await reads the server's addresses.
func (s *Server) await(stdout io.Reader, standby bool) error {
	lines := bufio.NewReader(stdout)
	nodes := []*string{&s.Address}
	if standby {
		nodes = append(nodes, &s.Standby)
	}
	for _, node := range nodes {
		line, err := lines.ReadString('\n')
		if err != nil {
			return fmt.Errorf("it did not start: %w", err)
		}
		*node = "https://" + strings.TrimSpace(strings.TrimPrefix(line, "listening "))
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(s.CACert) {
		return errors.New("no CA")
	}
	s.http = &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, MaxIdleConnsPerHost: 16,
	}}
	return nil
}

// begin initializes and unseals it, and lets AppRoles log in.
func (s *Server) begin(n nodes) error {
	ctx := context.Background()
	var made struct {
		Keys []string `json:"keys_base64"`
		Root string   `json:"root_token"`
	}
	raw, err := s.send(ctx, s.Address, "PUT", "sys/init", map[string]int{"secret_shares": 1, "secret_threshold": 1})
	if err == nil {
		err = json.Unmarshal(raw, &made)
	}
	if err != nil {
		return err
	}
	s.Root, s.key = made.Root, made.Keys[0]
	if err := s.unseal(ctx, s.Address); err != nil {
		return err
	}
	if err := s.active(ctx); err != nil {
		return err
	}
	if n == cluster {
		if err := s.unseal(ctx, s.Standby); err != nil {
			return err
		}
	}
	_, err = s.send(ctx, s.Address, "POST", "sys/auth/approle", map[string]string{"type": "approle"})
	return err
}

func (s *Server) unseal(ctx context.Context, node string) error {
	_, err := s.send(ctx, node, "PUT", "sys/unseal", map[string]string{"key": s.key})
	return err
}

// program returns the path of the server's program.
var program = sync.OnceValues(func() (string, error) { return programs.Tool("vault-server") })

// Open is Shared for a test that is not a Go test, such as a script.
func Open() (*Server, error) { return shared() }
