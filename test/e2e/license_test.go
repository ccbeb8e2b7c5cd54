package e2e_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestVendor: programs built with a vendor's key accept what the vendor's tool issues
// with it, and still have it after a power cut; but no license with altered text.
func TestVendor(t *testing.T) {
	t.Parallel()
	i := install(t, newWatch())
	installation := i.admin.must(http.StatusOK, http.MethodGet, "/api/admin/license/installation-id", nil)["installation_id"].(string)
	file := filepath.Join(t.TempDir(), "a.license")
	tool := launch(t, environ(t.TempDir()), "", "keyward-licensetool", "issue", "--key", testdata(t, "vendor.key"),
		"--passphrase-file", testdata(t, "passphrase"), "--installation-id", installation, "--customer", "Example Ltd",
		"--email", "it@example.com", "--type", "enterprise", "--days", "365", "--output", file)
	if code := tool.Wait(t); code != 0 {
		t.Fatalf("the vendor's tool: exit code %d: %s", code, tool.Log.String())
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	upload := func(status int, text string) m {
		t.Helper()
		return i.admin.must(status, http.MethodPost, "/api/admin/license/upload", json.RawMessage(text))
	}
	out := upload(http.StatusUnprocessableEntity, strings.Replace(string(raw), "Example Ltd", "Example Inc", 1))
	if params, _ := out["params"].(m); out["code"] != "license_rejected" || params["reason"] != "bad_signature" {
		t.Errorf("with another customer: %v", out)
	}
	if out := upload(http.StatusOK, string(raw)); out["status"] != "VALID" {
		t.Errorf("uploaded: %v", out)
	}
	i.Signal(syscall.SIGKILL)
	i.Wait(t)
	i.server = i.again(t)
	out = i.admin.must(http.StatusOK, http.MethodGet, "/api/admin/license", nil)
	if out["status"] != "VALID" || out["installation_id"] != installation {
		t.Errorf("after a power cut: %v", out)
	}
	if out := upload(http.StatusOK, string(raw)); out["status"] != "VALID" { // as after a lost response
		t.Errorf("uploaded again: %v", out)
	}
}

// testdata returns a file of testdata/. The vendor key there is only for tests, and its
// passphrase is not secret.
func testdata(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
