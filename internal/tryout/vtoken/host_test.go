package vtoken_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/warmykman"
)

// drivers is shared, so that the reader's driver is compiled once.
var drivers string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "kwdriver")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	drivers = dir
	code := warmykman.Main(m.Run)
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// desk is a host and the programs that use it.
type desk struct {
	*vtoken.Host
	t    *testing.T
	home string
}

// packages names the Debian package of each program, for the message.
var packages = map[string]string{
	"ykman": "yubikey-manager", "yubico-piv-tool": "yubico-piv-tool", "pkcs11-tool": "opensc",
	"opensc-tool": "opensc", "openssl": "openssl",
}

func setup(t *testing.T, o vtoken.Options) desk {
	t.Helper()
	if o.StateDir == "" {
		o.StateDir = filepath.Join(t.TempDir(), "state")
	}
	o.DriverDir = drivers
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	host, err := vtoken.Start(ctx, o)
	if err != nil {
		t.Fatalf("the tests need the packages pcscd, libpcsclite-dev and gcc: %v", err)
	}
	t.Cleanup(func() { must.OK(t, host.Close()) })
	return desk{host, t, t.TempDir()}
}

// result is the result of a program.
type result struct {
	out, err string
	code     int
}

// try runs a real tool against the host. It has no terminal; each line of
// input answers one prompt.
func (d desk) try(input []string, name string, args ...string) result {
	d.t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		d.t.Fatalf("%s is not there: install the Debian package %s", name, packages[name])
	}
	ctx, cancel := context.WithCancel(d.t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = d.home
	cmd.Env = append(os.Environ(), d.Env(), "HOME="+d.home, "XDG_DATA_HOME="+d.home, "LC_ALL=C.UTF-8", "KEYWARD_TEST_PIN=123456")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var out, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if len(input) > 0 {
		cmd.Stdin = strings.NewReader(strings.Join(input, "\n") + "\n")
	}
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		d.t.Fatalf("%s: %v", name, err)
	}
	return result{out.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// run is try for what must succeed; it returns standard output.
func (d desk) run(input []string, name string, args ...string) string {
	d.t.Helper()
	r := d.try(input, name, args...)
	if r.code != 0 {
		d.t.Fatalf("%s %s: exit code %d\n%s%s", name, strings.Join(args, " "), r.code, r.out, r.err)
	}
	return r.out
}

// fails is try for what must fail; standard error must contain a text.
func (d desk) fails(text string, input []string, name string, args ...string) {
	d.t.Helper()
	if r := d.try(input, name, args...); r.code != 1 || !strings.Contains(r.err, text) {
		d.t.Errorf("%s %s: exit code %d, want 1 and %q\n%s%s", name, strings.Join(args, " "), r.code, text, r.out, r.err)
	}
}

func lines(l ...string) []string { return l }

// holds checks that a text contains all others.
func holds(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
}

// Two tokens: both are listed, one is pulled and reinserted, and the other is pulled.
func TestPlugAndUnplug(t *testing.T) {
	t.Parallel()
	d := setup(t, vtoken.Options{Serials: []uint32{20260001, 20260002}, Unplugged: []uint32{20260002}})
	serials := func(want string) {
		t.Helper()
		if got := strings.Fields(d.run(nil, "ykman", "list", "--serials")); strings.Join(got, " ") != want {
			t.Errorf("serials %v, want %q", got, want)
		}
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	serials("20260001")
	check(d.Plug(t.Context(), 20260002))
	serials("20260001 20260002")
	check(d.Plug(t.Context(), 20260002)) // again: no error
	check(d.Unplug(t.Context(), 20260001))
	check(d.Unplug(t.Context(), 20260001))
	serials("20260002")
	check(d.Unplug(t.Context(), 20260002))
	serials("")
	check(d.Plug(t.Context(), 20260001))
	serials("20260001")
	if err := d.Plug(t.Context(), 5); err == nil {
		t.Error("a token that the host lacks was plugged")
	}
}

// A token whose power was cut by a fault hook counts as pulled until it is plugged in
// again.
func TestPowerCutIsRemoval(t *testing.T) {
	t.Parallel()
	d := setup(t, vtoken.Options{})
	cut := false
	d.Card(20260001).SetFault(func(at applet.Moment, cmd applet.Command) bool {
		now := !cut && at == applet.After && cmd.INS == 0x24
		cut = cut || now
		return now
	})
	r := d.try(lines("123456", "654321"), "ykman", "-d", "20260001", "piv", "access", "change-pin")
	if r.code == 0 {
		t.Errorf("the answer was lost, but ykman says that all is well:\n%s", r.out)
	}
	must.OK(t, d.Plug(t.Context(), 20260001))
	// It happened all the same.
	d.run(lines("654321", "123456"), "ykman", "-d", "20260001", "piv", "access", "change-pin")
}

// A restart keeps the token, including the retry counter.
func TestRestart(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	d := setup(t, vtoken.Options{StateDir: state, Firmware: piv.Version{5, 7, 1}})
	d.fails("2 tries left", lines("999999", "654321"), "ykman", "piv", "access", "change-pin")
	if _, err := vtoken.Start(t.Context(), vtoken.Options{StateDir: state, DriverDir: drivers}); err == nil {
		t.Error("a second host took the same state directory")
	}
	must.OK(t, d.Close())
	d = setup(t, vtoken.Options{StateDir: state})
	holds(t, d.run(nil, "ykman", "piv", "info"), "PIV version: 5.7.1", "PIN tries remaining: 2/3")
	d.fails("1 tries left", lines("999999", "654321"), "ykman", "piv", "access", "change-pin")
}
