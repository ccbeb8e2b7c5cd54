package audit_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestPageNames: the page has a name for every action in each language, for the log,
// its filter and the choice of webhooks.
func TestPageNames(t *testing.T) {
	t.Parallel()
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	actions := regexp.MustCompile(`Action += "([a-z_.]+)"`).FindAllStringSubmatch(read("audit.go"), -1)
	if len(actions) < 60 {
		t.Fatalf("only %d actions were found", len(actions))
	}
	for _, language := range []string{"en", "de"} {
		words := read("../../ui/src/text/" + language + "/audit.ts")
		for _, action := range actions {
			if !strings.Contains(words, "\n    \""+action[1]+`": "`) {
				t.Errorf("ui/src/text/%s/audit.ts has no name for %s", language, action[1])
			}
		}
	}
}
