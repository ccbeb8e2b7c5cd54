package httpapi

import (
	"net/http"
	"strings"
	"testing"
)

func TestSpecIsServed(t *testing.T) {
	t.Parallel()
	_, url := setup(t)
	res := do(t, "GET", url+"/api/openapi.yaml", "")
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "application/yaml" ||
		!strings.Contains(res.Text, "openapi: 3.1.0") {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
}
