package server

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/api"
	"github.com/keyward/keyward/test/must"
)

// TestContractIsCurrent compares the committed contract with the handlers.
func TestContractIsCurrent(t *testing.T) {
	t.Parallel()
	want := must.Get(OpenAPI())(t)
	if diff := cmp.Diff(string(want), string(api.License)); diff != "" {
		t.Errorf("api/license.yaml is not current; run go generate ./internal/license/server (-made +committed):\n%s", diff)
	}
}
