package move_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// BenchmarkMove tells how long keyward move takes, and the most memory that it
// has: its own, and with the pages of files that the kernel keeps for it, the old
// vault's among them, and takes back at need. It is of 100,000 tokens, or of
// KEYWARD_MOVE_TOKENS. PostgreSQL's fsync is off and Vault keeps all in memory, so
// the time is the program's own part and the engines' processor time.
//
//	CGO_ENABLED=0 go test -run '^$' -bench Move -benchtime 1x -timeout 1h ./test/move
func BenchmarkMove(b *testing.B) {
	tokens := 100_000
	if text := os.Getenv("KEYWARD_MOVE_TOKENS"); text != "" {
		tokens = must.Get(strconv.Atoi(text))(b)
	}
	for b.Loop() {
		b.StopTimer()
		dir := newSource(b, tokens)
		to := newTarget(b, engine.Postgres(b), vaultserver.Shared(b).Address)
		cmd := exec.CommandContext(b.Context(), filepath.Join(bin, "keyward"), "move", "--from", dir) // #nosec G204 -- ours
		s := &stages{b: b, began: time.Now(), cmd: cmd}
		cmd.Env, cmd.Stderr = to.env, s
		b.StartTimer()
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		b.ReportMetric(s.own/1024, "MiB-own")
		b.ReportMetric(float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1024, "MiB-with-files") // Linux counts KiB
		b.ReportMetric(cmd.ProcessState.UserTime().Seconds()+cmd.ProcessState.SystemTime().Seconds(), "cpu-s/op")
	}
	b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}

// stages logs when each step of the move begins, and looks at the memory
// whenever it tells how far it is.
type stages struct {
	b     *testing.B
	began time.Time
	cmd   *exec.Cmd
	own   float64 // KiB
}

var anonymous = regexp.MustCompile(`RssAnon:\s+(\d+) kB`)

func (s *stages) Write(p []byte) (int, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if found := anonymous.FindSubmatch(status); err == nil && found != nil {
		now, _ := strconv.ParseFloat(string(found[1]), 64) // digits
		s.own = max(s.own, now)
	}
	if p[0] != ' ' || len(p) > 3 && p[len(p)-2] == 'e' { // a step, or "…: as before"
		s.b.Logf("%7.1f s  %s", time.Since(s.began).Seconds(), p)
	}
	return len(p), nil
}
