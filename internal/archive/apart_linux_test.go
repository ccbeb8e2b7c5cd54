package archive_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

// What the test's own program is called when it derives keys, and when it is broken.
const (
	derives = "derives"
	breaks  = "breaks"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == archive.KeyCommand {
		if err := derive(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// derive writes no key unless all of this process steps back, and knows nothing.
func derive() error {
	if os.Args[0] == breaks {
		_, err := os.Stdout.WriteString("no key")
		return err
	}
	if env := os.Environ(); len(env) != 1 {
		return fmt.Errorf("the environment is %q", env)
	}
	var key bytes.Buffer
	if err := archive.Answer(os.Stdin, &key); err != nil {
		return err
	}
	if err := archive.StepBack(); err != nil { // behind it: on a busy machine the rest would take minutes
		return err
	}
	threads, err := filepath.Glob("/proc/self/task/*/stat")
	if err != nil || len(threads) == 0 {
		return fmt.Errorf("no threads: %w", err)
	}
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		if err != nil {
			return err
		}
		const policy, idle = 41 - 3, "5" // proc_pid_stat(5), behind the name; SCHED_IDLE
		if f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])); f[policy] != idle {
			return fmt.Errorf("a thread's policy is %s", f[policy])
		}
	}
	_, err = key.WriteTo(os.Stdout)
	return err
}

func TestKeyOfAProcessOfItsOwn(t *testing.T) {
	t.Parallel()
	const text = "correct horse battery"
	salt := bytes.Repeat([]byte{7}, 32)
	want := remembered(text)(salt)
	for _, name := range []string{derives, breaks} {
		var failed []error
		by := &archive.Apart{
			Path: must.Get(os.Executable())(t), Name: name, Patience: time.Hour,
			Failed: func(err error) { failed = append(failed, err) },
		}
		got := archive.TypedPassword(secret.New(text)).Apart(by).Derive(salt)
		if !bytes.Equal(got, want) {
			t.Errorf("%s: another key", name)
		}
		if (len(failed) > 0) != (name == breaks) {
			t.Errorf("%s: it failed with %v", name, failed)
		}
	}
}
