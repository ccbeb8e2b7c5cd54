package move_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
	"github.com/keyward/keyward/test/vaultserver"
)

// target is the target of a move: a database, and unprepared mounts of its own.
type target struct {
	database string // its URL
	vault    remote.Options
	env      []string
}

// newTarget returns one, with the vault at an address: its own, or a proxy's.
func newTarget(t testing.TB, database, address string) target {
	t.Helper()
	v := vaultserver.Shared(t)
	o := v.Operator()
	home := t.TempDir()
	ca, token := filepath.Join(home, "ca.pem"), filepath.Join(home, "token")
	must.OK(t, os.WriteFile(ca, v.CACert, 0o600))
	must.OK(t, os.WriteFile(token, []byte(v.Root+"\n"), 0o600))
	return target{database, o, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "DATABASE_URL=" + database, "DATABASE_LOCK_TIMEOUT=10m", "DATABASE_STATEMENT_TIMEOUT=10m",
		"VAULT_ADDR=" + address, "VAULT_CACERT=" + ca, "VAULT_TOKEN_FILE=" + token, "SITE_URL=" + vaultserver.PublicBase,
		"VAULT_KV_MOUNT=" + o.Mounts.KV, "VAULT_PKI_MOUNT=" + o.Mounts.PKI, "VAULT_ROLE=" + o.Mounts.Role,
	}}
}

// move starts keyward move.
func (to target) move(t testing.TB, dir string) *process.Process {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "keyward"), "move", "--from", dir)
	cmd.Env = to.env
	return process.Start(t, "keyward move", cmd)
}
