// Package move_test runs the real keyward move on quickly generated installations of
// any size: killed at one place after another (TestKilled), and complete, for its time
// and memory (BenchmarkMove).
package move_test

import (
	"os"
	"testing"

	"github.com/keyward/keyward/test/programs"
)

// bin holds the programs under test.
var bin string

func TestMain(m *testing.M) {
	os.Exit(programs.Main("../..", func(built string) int { bin = built; return m.Run() }))
}
