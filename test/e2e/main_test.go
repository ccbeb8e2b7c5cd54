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
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// patience bounds every wait of a test; reaching it is a failure.
const patience = 90 * time.Second

// bin holds the binaries under test, built once.
var bin string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "keyward-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bin = dir
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-X main.version=e2e", "-o", dir+string(filepath.Separator), "../../cmd/...")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the binaries do not build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
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
