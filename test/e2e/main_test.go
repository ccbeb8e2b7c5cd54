// Package e2e_test drives the built binaries as a person and a workstation
// would: keyward, keyward-agent and keyward-vtoken run as processes of their
// own, with the real ykman on a real pcscd in between. What they did is then
// judged by programs that are not ours: openssl, curl and ykman.
//
// Every secret that a test learns goes into its watch, which looks for it
// where none may stand: argument vectors and environments of all processes of
// the machine, log lines, and files.
package e2e_test

import (
	"os"
	"testing"
	"time"

	"github.com/keyward/keyward/test/programs"
)

// patience bounds every wait of a test; reaching it is a failure.
const patience = 90 * time.Second

// bin holds the binaries under test.
var bin string

func TestMain(m *testing.M) {
	os.Exit(programs.Main("../..", func(built string) int { bin = built; return m.Run() }))
}

// eventually waits until ok is true, and fails the test if it never is.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
		<-time.After(5 * time.Millisecond)
	}
}
