package agent

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestContractIsCurrent compares the committed contract with the handlers.
func TestContractIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../api/agent.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("api/agent.yaml is not current; run go generate ./internal/agent (-made +committed):\n%s", diff)
	}
}
