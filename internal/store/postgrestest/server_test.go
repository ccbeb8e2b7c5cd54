package postgrestest

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
)

// TestMain is also the test process that is killed, by its first argument.
func TestMain(m *testing.M) {
	if state, ok := os.LookupEnv("KEYWARD_POSTGRES_CHILD"); ok {
		child(state)
	}
	os.Exit(m.Run())
}

// child has a server in a state, names its directory, and waits to be killed; it
// ends with the test, too.
func child(state string) {
	s, err := New(Options{})
	if err == nil && state == "stopped" {
		err = s.Shutdown()
	}
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.WriteString(s.dir + "\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(1)
}

// TestAbandoned: of a test process that was killed nothing is left, neither with
// its server at work nor with one that is stopped and was to start again.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"running", "stopped"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(must.Get(os.Executable())(t))
			cmd.Env = append(os.Environ(), "KEYWARD_POSTGRES_CHILD="+state)
			cmd.Stderr = os.Stderr
			must.Get(cmd.StdinPipe())(t)
			out := must.Get(cmd.StdoutPipe())(t)
			must.OK(t, cmd.Start())
			dir := strings.TrimSpace(must.Get(bufio.NewReader(out).ReadString('\n'))(t))
			must.Get(os.Stat(filepath.Join(dir, "data", "PG_VERSION")))(t)
			must.OK(t, cmd.Process.Kill())
			_ = cmd.Wait() // killed
			await.That(t, dir+" goes", func() bool {
				_, err := os.Stat(dir)
				return os.IsNotExist(err)
			})
		})
	}
}

// TestPassword: by TCP nobody is let in without it.
func TestPassword(t *testing.T) {
	t.Parallel()
	s := Start(t, Options{Listen: host.Address()})
	right := s.URLAt(s.Address(), "postgres")
	conn := must.Get(pgx.Connect(t.Context(), right))(t)
	must.OK(t, conn.Close(t.Context()))
	for _, wrong := range []string{"", "another"} {
		if conn, err := pgx.Connect(t.Context(), strings.Replace(right, s.password, wrong, 1)); err == nil {
			_ = conn.Close(t.Context())
			t.Errorf("the password %q is good", wrong)
		}
	}
}
