package move_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// BenchmarkMove tells how long keyward move takes, and the most memory that it
// has: of 100,000 tokens, or of KEYWARD_MOVE_TOKENS. PostgreSQL's fsync is off
// and Vault keeps all in memory, so it is the program's own part and the
// engines' processor time.
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
		cmd.Env, cmd.Stderr = to.env, &stages{b: b, began: time.Now()}
		b.StartTimer()
		out, err := cmd.Output()
		if err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		b.ReportMetric(float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)/1024, "MiB") // Linux counts KiB
		b.ReportMetric(cmd.ProcessState.UserTime().Seconds()+cmd.ProcessState.SystemTime().Seconds(), "cpu-s/op")
	}
	b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}

// stages logs when each step of the move begins.
type stages struct {
	b     *testing.B
	began time.Time
}

func (s *stages) Write(p []byte) (int, error) {
	if p[0] != ' ' || len(p) > 3 && p[len(p)-2] == 'e' { // a step, or "…: as before"
		s.b.Logf("%7.1f s  %s", time.Since(s.began).Seconds(), p)
	}
	return len(p), nil
}
