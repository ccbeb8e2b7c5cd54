// Package integrations_test shows Keyward's certificates at work in programs that nobody here
// wrote, from Debian's packages. What docs/integrations.md tells people to write into a
// program's configuration is what the tests write there.
//
// Most of it runs in `make test-all` alone.
package integrations_test

import (
	"os"
	"testing"

	"github.com/keyward/keyward/test/programs"
	"github.com/keyward/keyward/test/warmykman"
)

// bin holds the binaries under test.
var bin string

func TestMain(m *testing.M) {
	os.Exit(programs.Main("../..", func(built string) int { bin = built; return warmykman.Main(m.Run) }))
}
