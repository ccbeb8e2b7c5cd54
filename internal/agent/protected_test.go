package agent

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/warmykman"
)

// TestProtectedManagementKey has the real ykman store the management key on the
// token, under the PIN. With the PIN, the agent takes it over, and the token no
// longer holds it; no other operation passes our key as a PIN, which would cost a
// try.
func TestProtectedManagementKey(t *testing.T) {
	t.Parallel()
	h := host(t, vtoken.Options{})
	outside := func(input string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), must.Get(warmykman.Real())(t), // #nosec G204 -- a test's
			append([]string{"--device", serial}, args...)...)
		cmd.Env = []string{"PATH=" + warmykman.ColdPath(), "HOME=" + t.TempDir(), "LC_ALL=C.UTF-8", "PCSCLITE_CSOCK_NAME=" + h.SocketPath()}
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return string(out)
	}
	const stored = "Management key is stored on the YubiKey, protected by PIN"
	outside("123456\n"+pin1+"\n", "piv", "access", "change-pin")
	outside("\n"+pin1+"\n", "piv", "access", "change-management-key", "--protect")
	if got := outside("", "piv", "info"); !strings.Contains(got, stored) {
		t.Fatalf("ykman did not keep the key: %s", got)
	}
	a := startOn(t, h, Config{})
	take := func(more m) m {
		r := m{"encrypted": true, "serial": serial, "management_key": key(t, key1)}
		for k, v := range more {
			r[k] = v
		}
		return r
	}
	info := func() m { return a.get(t, "/piv/info?serial="+serial).body }
	if got := info(); got["management_key_under_pin"] != true {
		t.Fatalf("info: %v", got)
	}
	a.refuses(t, "/piv/rotate-management-key", take(nil), 409, "conflict")
	a.refuses(t, "/piv/probe", m{"encrypted": true, "serial": serial, "field": "management_key",
		"candidates": []string{key(t, key1)}}, 409, "conflict")
	if got := a.refuses(t, "/piv/rotate-management-key", take(m{"pin": pin(t, pin2)}), 422, "wrong_pin"); got["retries_left"] != 2.0 {
		t.Fatalf("a wrong PIN: %v", got)
	}
	a.works(t, "/piv/rotate-management-key", take(m{"pin": pin(t, pin1)}))
	if got := info(); got["management_key_under_pin"] != false || got["management_key_algorithm"] != "AES192" || got["pin_retries"] != 3.0 {
		t.Fatalf("taken over: %v", got)
	}
	if got := outside("", "piv", "info"); strings.Contains(got, stored) {
		t.Fatalf("the token still keeps the key: %s", got)
	}
	a.works(t, "/piv/rotate-management-key", take(m{"management_key": key(t, key2), "current_management_key": key(t, key1)}))
}
