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

// TestVendor: programs that are built with a vendor's key take what the vendor's tool
// issues with it, and go on having it after a power cut; and no license of any other
// words.
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
	if out := upload(http.StatusOK, string(raw)); out["status"] != "VALID" { // by somebody who saw no answer
		t.Errorf("uploaded again: %v", out)
	}
}

// testdata is a file of testdata/. The key there is a vendor's for tests alone, and
// its passphrase is no secret.
func testdata(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
