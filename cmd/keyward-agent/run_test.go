package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestCommandLine is the table of what needs no running agent.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		exit int
		want string // in standard output for 0, else in the error
	}{
		{[]string{"--help"}, 0, "--allow-plaintext"},
		{[]string{"--version"}, 0, "keyward-agent dev"},
		{nil, 2, "--origin"},
		{[]string{"--nonsense"}, 2, "nonsense"},
		{[]string{"--dev", "more"}, 2, "flags only"},
		{[]string{"--origin", "https://*.example.org"}, 2, "wildcards"},
		{[]string{"--dev", "--listen", "0.0.0.0:1"}, 2, "127.0.0.1"},
	} {
		var out bytes.Buffer
		err := Run(t.Context(), c.args, &out, io.Discard)
		text := out.String()
		if err != nil {
			text = err.Error()
		}
		if got := ExitCode(err); got != c.exit || !strings.Contains(text, c.want) {
			t.Errorf("%q: exit code %d with %q, want %d with %q", c.args, got, text, c.exit, c.want)
		}
	}
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// TestServes runs the command on a free port, without a tool: it answers at
// once and ends with its context. A taken port is a failure, exit code 1.
func TestServes(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := Run(t.Context(), []string{"--dev", "--listen", address}, io.Discard, io.Discard); ExitCode(err) != 1 {
		t.Fatalf("on a taken port it ended with %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	log := &safeBuffer{}
	go func() {
		ended <- Run(ctx, []string{"--dev", "--listen", "127.0.0.1:0", "--tool", "/nonexistent/ykman"}, io.Discard, log)
	}()
	listening := regexp.MustCompile(`msg=listening address=(\S+)`)
	for end := time.Now().Add(time.Minute); !listening.MatchString(log.String()); {
		if time.Now().After(end) {
			t.Fatalf("the agent never listened: %s", log.String())
		}
		<-time.After(5 * time.Millisecond)
	}
	res, err := http.Get("http://" + listening.FindStringSubmatch(log.String())[1] + "/health")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("health: %s", res.Status)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "ykman was not found") {
		t.Errorf("the log does not tell that the tool is missing: %s", log.String())
	}
}

// TestImports keeps what an agent must not contain out of its binary.
func TestImports(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, dep := range strings.Fields(string(out)) {
		for _, bad := range []string{"database/sql", "modernc.org/", "jackc/pgx", "openbao", "aws-sdk", "bbolt", "internal/vault", "internal/store", "internal/objstore", "internal/httpapi", "internal/tryout", "net/http/pprof", "testing"} {
			if dep == bad || strings.Contains(dep, bad) && strings.ContainsAny(bad, "/-") {
				t.Errorf("the agent contains %s", dep)
			}
		}
	}
}
