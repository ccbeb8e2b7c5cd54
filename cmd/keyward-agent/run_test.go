package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/script"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"keyward-agent": main})
}

// TestScripts runs the commands that need no running agent.
func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, nil)
}

// TestServes runs the command on a free port, without a tool: it answers at once and
// ends with its context. On a taken port it fails with exit code 1.
func TestServes(t *testing.T) {
	t.Parallel()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := l.Addr().String()
	folder := filepath.Join(t.TempDir(), "keyward")
	must.OK(t, os.Mkdir(folder, 0o700))
	if err := run(t.Context(), []string{"--dev", "--listen", address}, folder, io.Discard, io.Discard); ExitCode(err) != 1 {
		t.Fatalf("on a taken port it ended with %v", err)
	}
	must.OK(t, l.Close())
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	log := &await.Text{}
	go func() {
		ended <- run(ctx, []string{"--dev", "--listen", "127.0.0.1:0", "--tool", "/nonexistent/ykman"}, folder, io.Discard, log)
	}()
	listening := regexp.MustCompile(`msg=listening address=(\S+)`)
	log.Find(t, "the agent listens", nil, listening.MatchString)
	log.Find(t, "the log tells that the tool is missing", nil, regexp.MustCompile("ykman was not found").MatchString)
	res := must.Get(http.Get("http://" + listening.FindStringSubmatch(log.String())[1] + "/health"))(t)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("health: %s", res.Status)
	}
	cancel()
	must.OK(t, <-ended)
	var code bytes.Buffer
	must.OK(t, run(t.Context(), []string{"code"}, folder, &code, io.Discard))
	if !strings.Contains(log.String(), "code="+strings.TrimSpace(code.String())+"\n") || code.Len() != len("ABCD-EFGH-IJKL-MNOP\n") {
		t.Errorf("the code is %q, and the log tells another: %s", code.String(), log.String())
	}
}

// TestImports keeps out of the binary what an agent must not contain.
func TestImports(t *testing.T) {
	t.Parallel()
	out := must.Get(exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output())(t)
	for _, dep := range strings.Fields(string(out)) {
		for _, bad := range []string{"database/sql", "modernc.org/", "jackc/pgx", "openbao", "aws-sdk", "bbolt",
			"internal/vault", "internal/store", "internal/objstore", "internal/httpapi", "internal/tryout", "net/http/pprof", "testing"} {
			if dep == bad || strings.Contains(dep, bad) && strings.ContainsAny(bad, "/-") {
				t.Errorf("the agent contains %s", dep)
			}
		}
	}
}
