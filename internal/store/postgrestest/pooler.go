package postgrestest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
)

// Pooler starts a PgBouncer in front of the server, until the end of the test, and returns a
// database's URL there. lines are added to its configuration; query is what it first runs on each
// connection.
func (s *Server) Pooler(t testing.TB, database, query string, lines ...string) string {
	t.Helper()
	port, err := freePort("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.dir, "pgbouncer-"+strconv.Itoa(port)+".ini")
	text := fmt.Sprintf("[databases]\n* = host=%s port=%d user=%s connect_query='%s'\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"+
		"listen_port = %d\nunix_socket_dir =\nauth_type = any\n%s\n", s.dir, s.port, superuser, query, port, strings.Join(lines, "\n"))
	if err := s.as.put(file, []byte(text)); err != nil {
		t.Fatal(err)
	}
	said := filepath.Join(s.dir, "pgbouncer.log")
	log, err := os.OpenFile(said, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	cmd := s.as.command("sh", "-c", strings.Replace(watcher, "-QUIT", "-TERM", 1), "sh", "/usr/sbin/pgbouncer", file)
	cmd.SysProcAttr.Setsid = true
	cmd.Stdout, cmd.Stderr = log, log
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Wait() })
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	await.That(t, "PgBouncer takes connections (scripts/install-deps test installs it)", func() bool {
		conn, err := net.Dial("tcp", address)
		return err == nil && conn.Close() == nil
	})
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Host: address, Path: "/" + database, RawQuery: "sslmode=disable"}
	return u.String()
}
