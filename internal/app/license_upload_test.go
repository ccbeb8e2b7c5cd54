package app_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// TestLicenseAsBytes: a license is sent as JSON, and anything else is refused as such.
func TestLicenseAsBytes(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, w.base+"/api/admin/license/upload", strings.NewReader("{}")))(t)
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set("Authorization", "Bearer "+w.tokens["admin"])
	answer := must.Get(http.DefaultClient.Do(r))(t)
	must.OK(t, answer.Body.Close())
	if answer.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("the answer is %s", answer.Status)
	}
}
