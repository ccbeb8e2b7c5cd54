package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/test/engine"
)

// TestVerifyLive: beside the running server, the log is verified with the vault, and what was removed is named.
func TestVerifyLive(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	admin, _ := w.login("admin", adminPassword)
	verify := func() backend.AuditVerificationResult {
		t.Helper()
		res, text := w.text("/api/admin/audit/verify", admin)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		var last backend.AuditVerification
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || res.StatusCode != http.StatusOK || last.Result == nil {
			t.Fatalf("%s %s: %v", res.Status, text, err)
		}
		return *last.Result
	}
	w.must(200, "GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)
	if r := verify(); !r.OK || r.Releases != 1 || len(r.Findings) != 0 {
		t.Errorf("as it is: %+v", r)
	}
	engine.Execute(t, w.cfg.Data, "DELETE FROM audit_entries WHERE action = 'hwkey.secrets_released'")
	r := verify()
	if r.OK || len(r.Findings) == 0 || !strings.Contains(r.Findings[len(r.Findings)-1].Detail, "10000") {
		t.Errorf("without the entry of a release: %+v", r)
	}
}
