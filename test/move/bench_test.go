package move_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// BenchmarkMove measures keyward move with 100,000 tokens, or KEYWARD_MOVE_TOKENS.
// PostgreSQL's fsync is off and Vault keeps all in memory, so the time is the program's
// own and the engines' processor time.
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
		cmd.Env = to.env
		b.StartTimer()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
	b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}
