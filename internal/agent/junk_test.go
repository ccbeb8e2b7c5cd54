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
	ykmanItself(t, h, "this is no certificate", "piv", "objects", "import", "--management-key", factoryKey, "0x5fc105", "-")
	a := startOn(t, h, Config{})
	for i, s := range a.get(t, "/piv/info?serial="+serial).body["slots"].([]any) {
		if got := s.(m); got["unreadable"] != (i == 0) || got["certificate"] != nil {
			t.Errorf("slot %v: %v", got["slot"], got)
		}
	}
	a.refuses(t, "/piv/generate-csr", m{"encrypted": true, "serial": serial, "pin": pin(t, "123456"),
		"management_key": key(t, factoryKey), "subject": m{"common_name": "ann"}}, 409, "slot_occupied")
}

// ykmanItself runs the real tool beside the agent, and returns its output.
func ykmanItself(t *testing.T, h *vtoken.Host, input string, args ...string) []byte {
	t.Helper()
	args = append([]string{"--device", serial}, args...)
	cmd := exec.CommandContext(t.Context(), must.Get(warmykman.Real())(t), args...) // #nosec G204 -- a test's
	cmd.Env = []string{"PATH=" + warmykman.ColdPath(), "HOME=" + t.TempDir(), "LC_ALL=C.UTF-8", "PCSCLITE_CSOCK_NAME=" + h.SocketPath()}
	cmd.Stdin = strings.NewReader(input)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, complaint.String())
	}
	return out
}
