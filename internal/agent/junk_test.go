package agent

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/warmykman"
)

// TestJunk has the real ykman store something else in place of a certificate. It
// is shown as unreadable, and a new key does not overwrite it unasked.
func TestJunk(t *testing.T) {
	t.Parallel()
	h := host(t, vtoken.Options{})
	cmd := exec.CommandContext(t.Context(), must.Get(warmykman.Real())(t), "--device", serial, // #nosec G204 -- a test's
		"piv", "objects", "import", "--management-key", factoryKey, "0x5fc105", "-")
	cmd.Env = []string{"PATH=" + warmykman.ColdPath(), "HOME=" + t.TempDir(), "LC_ALL=C.UTF-8", "PCSCLITE_CSOCK_NAME=" + h.SocketPath()}
	cmd.Stdin = strings.NewReader("this is no certificate")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	a := startOn(t, h, Config{})
	for i, s := range a.get(t, "/piv/info?serial="+serial).body["slots"].([]any) {
		if got := s.(m); got["unreadable"] != (i == 0) || got["certificate"] != nil {
			t.Errorf("slot %v: %v", got["slot"], got)
		}
	}
	a.refuses(t, "/piv/generate-csr", m{"encrypted": true, "serial": serial, "pin": pin(t, "123456"),
		"management_key": key(t, factoryKey), "subject": m{"common_name": "ann"}}, 409, "slot_occupied")
}
