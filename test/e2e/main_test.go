// Package e2e_test drives the built binaries as a person and a workstation would:
// keyward, keyward-agent and keyward-vtoken run as separate processes, with ykman on a
// real pcscd in between. The outcome is then judged by programs that are not ours:
// openssl, curl and ykman. (TestWholeJob runs the user's ykman; elsewhere package
// warmykman keeps ykman's code warm.)
//
// Every secret that a test learns goes into its watch, which searches for it where it
// must not be: argument vectors and environments of ykman's processes, log lines, and
// files.
package e2e_test

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
