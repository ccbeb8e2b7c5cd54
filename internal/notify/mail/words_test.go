package mail_test

import (
	"os"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/notify/mail"
)

// TestPageWords: the page explains every class, in each language, and what to do about it.
func TestPageWords(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "de"} {
		words, err := os.ReadFile("../../../ui/src/text/" + language + "/mail.ts")
		if err != nil {
			t.Fatal(err)
		}
		for _, class := range mail.Classes {
			if !strings.Contains(string(words), "\n  "+string(class)+": {\n    what: ") {
				t.Errorf("ui/src/text/%s/mail.ts has no words for %s", language, class)
			}
		}
	}
}
