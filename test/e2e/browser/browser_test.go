// Package browser_test runs the browser's tests: *.test.mjs in this folder, for node's
// own test runner, with chromium against the built binaries. Each file is a subtest,
// with its tests as subtests:
//
//	go test ./test/e2e/browser -run TestBrowser/signin
//
// README.md explains how to write one, and how to run it without Go.
package browser_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/programs"
	"github.com/keyward/keyward/test/tier"
	"github.com/keyward/keyward/test/warmykman"
)

// bin holds the binaries under test.
var bin string

func TestMain(m *testing.M) {
	for _, folder := range []string{"test/e2e/browser", "test/oidc/provider"} {
		if out, err := exec.Command("../../../scripts/node-modules", folder).CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "what the tests need is not installed: %v\n%s", err, out)
			os.Exit(1)
		}
	}
	os.Exit(programs.Main("../../..", func(built string) int {
		bin = built
		// A license service in any state.
		build := exec.Command("go", "build", "-trimpath", "-o", bin, "../../licensestates")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "the license service of the tests does not build: %v\n%s", err, out)
			return 1
		}
		return warmykman.Main(m.Run)
	}))
}

// result is a line of harness/report.mjs.
type result struct {
	Name    string `json:"name"`
	Passed  bool   `json:"passed"`
	LeftOut bool   `json:"left_out"`
	Took    int    `json:"ms"`
	Error   string `json:"error"`
}

// usual are the files of make test: the main paths through the pages. make test-all
// runs all files.
var usual = []string{"access", "administration", "desk", "flows", "people", "signin"}

func TestBrowser(t *testing.T) {
	t.Parallel()
	for _, name := range tier.Of(usual, every(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ran := 0
			for _, r := range node(t, name+".test.mjs") {
				ran++
				t.Run(r.Name, func(t *testing.T) {
					t.Logf("%d ms", r.Took)
					switch {
					case r.LeftOut:
						t.Error("it is left out: no test is")
					case !r.Passed:
						t.Error(r.Error)
					}
				})
			}
			if ran == 0 {
				t.Error("no test ran")
			}
		})
	}
}

// every returns the names of all files.
func every(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.test.mjs")
	if err != nil || len(files) <= len(usual) {
		t.Fatalf("where are the tests? %v, %v", files, err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(file, ".test.mjs"))
	}
	return names
}

// node runs one file and returns the results of its tests.
func node(t *testing.T, file string) []result {
	t.Helper()
	// The kernel signals a child when the thread that created it ends
	// (PR_SET_PDEATHSIG), so this goroutine keeps its thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	lines, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx := await.Context(t)
	var log bytes.Buffer
	// Run directly, not with --test, so that there is only one process to end.
	cmd := exec.CommandContext(ctx, "node", "--test-reporter=./harness/report.mjs", "--test-reporter-destination=/dev/fd/3", file)
	cmd.Env = append(os.Environ(), "KEYWARD_BIN="+bin, "TIER="+tier.Of("", "all"))
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = &log, &log, []*os.File{end}
	// On SIGTERM it ends its programs and its browser; otherwise they end with it.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := end.Close(); err != nil {
		t.Error(err)
	}
	results, err := read(lines)
	result := cmd.Wait()
	if log.Len() > 0 {
		t.Logf("it wrote:\n%s", log.String())
	}
	failed := false
	for _, r := range results {
		failed = failed || !r.Passed
	}
	if ctx.Err() != nil {
		t.Errorf("node %s did not end by itself", file)
	} else if err := cmp.Or(err, result); err != nil && !failed {
		t.Errorf("node %s: %v", file, err)
	}
	return results
}

func read(from io.ReadCloser) ([]result, error) {
	var all []result
	for lines := json.NewDecoder(from); ; {
		var r result
		if err := lines.Decode(&r); errors.Is(err, io.EOF) {
			return all, from.Close()
		} else if err != nil {
			return all, errors.Join(err, from.Close())
		}
		all = append(all, r)
	}
}
