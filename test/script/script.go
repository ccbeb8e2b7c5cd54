// Package script runs the testdata/*.txtar of a command: files that read like a manual,
// with each line's expected output and result.
//
//	keyward ARGUMENTS            has to succeed
//	exits 1 keyward ARGUMENTS    has to fail
//	exits 2 keyward ARGUMENTS    has to be wrong usage
package script

import (
	"errors"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Command is a line of a script that is ours.
type Command = func(ts *testscript.TestScript, neg bool, args []string)

// Run runs every script, with the given commands besides exits.
func Run(t *testing.T, own map[string]Command) {
	t.Helper()
	lines := map[string]Command{"exits": exits}
	for name, c := range own {
		lines[name] = c
	}
	testscript.Run(t, testscript.Params{Dir: "testdata", Cmds: lines, RequireUniqueNames: true})
}

// exits requires a certain exit code of a program.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGUMENT…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
