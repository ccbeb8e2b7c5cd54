package notify_test

import (
	"os"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/notify"
)

// TestPageNames: the page names every kind in each language, for its switches and the
// list of messages.
func TestPageNames(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de"} {
		words, err := os.ReadFile("../../ui/src/text/" + language + "/mail.ts")
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range notify.Table {
			if !strings.Contains(string(words), "\n  "+string(row.Kind)+`: "`) {
				t.Errorf("ui/src/text/%s/mail.ts has no name for %s", language, row.Kind)
			}
		}
	}
}
