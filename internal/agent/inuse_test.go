package agent

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/agent/ykman"
	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/warmykman"
)

// hold connects to a reader exclusively, as gpg's scdaemon does, until standard
// input ends.
const hold = `
import sys
from smartcard.scard import *
_, context = SCardEstablishContext(SCARD_SCOPE_USER)
result, _, _ = SCardConnect(context, sys.argv[1], SCARD_SHARE_EXCLUSIVE, SCARD_PROTOCOL_ANY)
print(SCardGetErrorMessage(result), flush=True)
sys.stdin.read()
`

// TestInUse has another program use a token exclusively. A change and the list
// report the cause, and both work once that program ends.
func TestInUse(t *testing.T) {
	t.Parallel()
	h := host(t, vtoken.Options{})
	a := startOn(t, h, Config{})
	const reader = "Yubico YubiKey OTP+FIDO+CCID 00 00"
	release := holdReader(t, h, reader)
	if diff := cmp.Diff(m{"tokens": []any{}, "in_use": []any{m{"reader": reader}}}, a.get(t, "/discover").body); diff != "" {
		t.Errorf("discover (-want +got):\n%s", diff)
	}
	if got := a.get(t, "/piv/info?serial="+serial); got.status != 409 || got.code() != "token_in_use" {
		t.Errorf("info: %d %s", got.status, got.raw)
	}
	a.refuses(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, pin1)}, 409, "token_in_use")
	release()
	await.That(t, "the token is listed again", func() bool {
		got := a.get(t, "/discover").body
		_, inUse := got["in_use"]
		return len(got["tokens"].([]any)) == 1 && !inUse
	})
	a.works(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, pin1)})
}

// ykman5 fakes ykman 5's output for a token that another program uses
// exclusively.
const ykman5 = `#!/bin/sh
case "$*" in
--version) echo "YubiKey Manager (ykman) version: 5.5.1" ;;
"list --readers") echo "Yubico YubiKey OTP+FIDO+CCID 00 00" ;;
--reader*) echo "ERROR: Failed to connect to YubiKey" >&2; exit 1 ;;
*) echo "ERROR: Failed connecting to a YubiKey with serial: 20260001." >&2
   echo "Make sure the application has the required permissions." >&2; exit 1 ;;
esac
`

// TestInUseYkman5 finds the cause with a tool that does not report it.
func TestInUseYkman5(t *testing.T) {
	t.Parallel()
	tool := filepath.Join(t.TempDir(), "ykman")
	must.Program(t, tool, ykman5)
	d := ykman.New(ykman.Options{Path: tool})
	t.Cleanup(func() { must.OK(t, d.Close()) })
	a := start(t, Config{Driver: d})
	if got := a.get(t, "/discover").body; len(got["in_use"].([]any)) != 1 {
		t.Errorf("discover: %v", got)
	}
	if got := a.get(t, "/piv/info?serial="+serial); got.code() != "token_in_use" {
		t.Errorf("info: %d %s", got.status, got.raw)
	}
}

// holdReader runs hold until release is called.
func holdReader(t *testing.T, h *vtoken.Host, reader string) (release func()) {
	t.Helper()
	python := must.Get(warmykman.Python())(t)
	cmd := exec.CommandContext(t.Context(), python[0], append(python[1:], "-c", hold, reader)...) // #nosec G204 -- a test's
	cmd.Env = []string{"PCSCLITE_CSOCK_NAME=" + h.SocketPath()}
	stdin := must.Get(cmd.StdinPipe())(t)
	stdout := must.Get(cmd.StdoutPipe())(t)
	must.OK(t, cmd.Start())
	said, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || said != "Command successful.\n" {
		t.Fatalf("the reader can't be held: %q (%v)", said, err)
	}
	return func() {
		must.OK(t, stdin.Close())
		_, _ = io.Copy(io.Discard, stdout)
		must.OK(t, cmd.Wait())
	}
}
