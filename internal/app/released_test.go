package app_test

import (
	"crypto/x509"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

// released is a data directory and a backup written by schema 16. Every later version
// must open both: they are never regenerated.
const released = "testdata/released-16"

// TestReleasedDataDirectory: today's server serves it, and the log verifies.
func TestReleasedDataDirectory(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t, t.TempDir())
	ownVault.Store(cfg.Data, true)
	cfg.DatabaseURL = secret.String{}
	copyFiles(t, filepath.Join(released, "data"), cfg.Data, "keyward.db", "vault.db", "seal.key")
	hasAllOfReleased(t, cfg)
}

// TestReleasedBackup: it restores onto a bare machine.
func TestReleasedBackup(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t, t.TempDir())
	ownVault.Store(cfg.Data, true)
	out := must.Get(app.Restore(t.Context(), cfg, app.RestoreRequest{
		File: filepath.Join(released, "backup"), Password: secret.New(backupPassword), Via: "keyward restore",
	}))(t)
	if out.Job.Status != backup.Completed || out.Job.Outcome != backup.OK {
		t.Errorf("the restore: %+v", out.Job)
	}
	hasAllOfReleased(t, cfg)
}

// hasAllOfReleased checks the people, the token's PIN, a revoked certificate and that
// the log is sound.
func hasAllOfReleased(t *testing.T, cfg config.Config) {
	t.Helper()
	w := &fixture{start(t, cfg), people{tokens: map[string]string{}, sessions: map[string]int{}}}
	w.healthy(t)
	w.signIn("a-user", usual)
	path := fmt.Sprint("/api/session/", w.sessions["a-user"], "/register-agent")
	agent := map[string]any{"public_key": inPEM(must.Get(x509.MarshalPKIXPublicKey(&agentKey().PublicKey))(t))}
	w.must(200, "POST", path, w.tokens["a-user"], agent)
	out := w.must(200, "GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)
	if open(t, "10000", "pin", out["pin"].(string)) != "95022457" {
		t.Errorf("the PIN is another")
	}
	w.signIn("admin", adminPassword)
	const serial = "5e08088465a64018f54b916824b38db5c1265001"
	c := w.must(200, "GET", "/api/certificates/"+serial, w.tokens["admin"], nil)
	if c["revocation_reason"] != "keyCompromise" || !w.onList(serial) {
		t.Errorf("the revoked certificate: %v; on the CRL: %v", c, w.onList(serial))
	}
	must.OK(t, w.stop())
	if report, err := app.VerifyAudit(t.Context(), cfg, nil); err != nil || report.Entries == 0 {
		t.Errorf("the audit log: %+v, %v", report, err)
	}
}
