package embedded_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/must"
)

// childDir names the variable that turns the test binary into a child that
// writes until it is killed.
const childDir = "KEYWARD_TEST_VAULT_CHILD"

// childFills names the variable that has the child fill its disk instead.
const childFills = "KEYWARD_TEST_VAULT_CHILD_FILLS"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		does := child
		if os.Getenv(childFills) != "" {
			does = fill
		}
		if err := does(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// child writes from many goroutines and prints what was acknowledged: "put PATH VERSION", "revoke
// SERIAL", "crl NUMBER".
func child(dir string) error {
	ctx := context.Background()
	e, err := embedded.Open(ctx, options(dir))
	if err != nil {
		return err
	}
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(os.Stdout, format+"\n", args...)
	}
	failed := make(chan error)
	for g := range 8 {
		go func() {
			for i := 0; ; i++ {
				path := fmt.Sprintf("p%d-%d-%d/secrets", os.Getpid(), g, i/versions)
				n, err := e.Put(ctx, path, fmt.Appendf(nil, `{"i":%d}`, i), i%versions)
				if err != nil {
					failed <- err
					return
				}
				say("put %s %d %d", path, n, i)
			}
		}()
	}
	go func() {
		for i := 0; ; i++ {
			serial := fmt.Sprintf("41%08x%08x", os.Getpid(), i)
			if err := e.Revoke(ctx, vault.Revocation{Serial: serial}); err != nil {
				failed <- err
				return
			}
			say("revoke %s", serial)
			list, err := e.CRL(ctx, vault.Active)
			if err != nil {
				failed <- err
				return
			}
			say("crl %d", list.Number)
		}
	}()
	return <-failed
}

// versions that a child writes of each document.
const versions = 3

// acknowledged is what the children said.
type acknowledged struct {
	values  map[string]int // path → the latest value
	serials []string
	crl     uint64
}

// TestKill kills a writing process again and again, first before it even has
// a vault, and checks that all that was acknowledged is there.
func TestKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	known := &acknowledged{values: map[string]int{}}
	for round, lines := range []int{0, 1, 40, 7, 150, 3} {
		known.run(t, dir, lines)
		known.check(t, dir, round)
	}
}

// run starts a child and kills it after so many acknowledgements. It reads to the end: what is left
// in the pipe was acknowledged, too.
func (a *acknowledged) run(t *testing.T, dir string, lines int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out := must.Get(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	in := bufio.NewReader(out)
	for n := 0; ; n++ {
		if n == lines {
			must.OK(t, cmd.Process.Kill())
		}
		line, err := in.ReadString('\n')
		if err == io.EOF { // a line cut short was not acknowledged
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		a.note(t, line)
	}
	_ = cmd.Wait() // says that it was killed
	if stderr.Len() > 0 {
		t.Fatalf("child: %s", stderr.String())
	}
}

func (a *acknowledged) note(t *testing.T, line string) {
	t.Helper()
	f := strings.Fields(line)
	switch f[0] {
	case "put":
		value := must.Get(strconv.Atoi(f[3]))(t)
		a.values[f[1]] = value
	case "revoke":
		a.serials = append(a.serials, f[1])
	case "crl":
		number := must.Get(strconv.ParseUint(f[1], 10, 64))(t)
		if number <= a.crl {
			t.Errorf("CRL number %d after %d", number, a.crl)
		}
		a.crl = number
	default:
		t.Fatalf("unknown line %q", line)
	}
}

func (a *acknowledged) check(t *testing.T, dir string, round int) {
	t.Helper()
	e, err := embedded.Open(t.Context(), options(dir))
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	defer func() { _ = e.Close() }()
	for path, want := range a.values {
		got, err := e.Get(t.Context(), path)
		if err != nil {
			t.Fatalf("round %d: %s: %v", round, path, err)
		}
		var has struct{ I int }
		must.OK(t, json.Unmarshal(got.Data, &has))
		// The next value may have been written without an acknowledgement.
		if has.I != want && has.I != want+1 || got.Number != has.I%versions+1 {
			t.Errorf("round %d: %s: %d in version %d, want %d", round, path, has.I, got.Number, want)
		}
	}
	stored := map[string]bool{}
	must.OK(t, e.Revoked(t.Context(), func(r vault.Revocation) error { stored[r.Serial] = true; return nil }))
	for _, serial := range a.serials {
		if !stored[serial] {
			t.Errorf("round %d: revocation %s was lost", round, serial)
		}
	}
	list, err := e.CRL(t.Context(), vault.Active)
	if err != nil || list.Number <= a.crl {
		t.Errorf("round %d: CRL number %d after %d, %v", round, list.Number, a.crl, err)
	}
	a.crl = list.Number
	t.Logf("round %d: %d documents, %d revocations, CRL %d", round, len(a.values), len(a.serials), list.Number)
}
