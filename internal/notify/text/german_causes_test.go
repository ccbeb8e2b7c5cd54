package text_test

import (
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/text"
	"github.com/keyward/keyward/test/must"
)

// TestCauses: why a job failed is said in German with all its values, or as the server says it.
func TestCauses(t *testing.T) {
	t.Parallel()
	why := fault.Sayf("could_not_begin", "It could not start: {why}",
		fault.Params{"why": fault.New(fault.DatabaseUnavailable, "away", "No database.").Sentence()})
	for name, c := range map[string]struct {
		cause fault.Sentence
		want  string
	}{
		"nested": {fault.Sayf("missed", "{why} Start one now.", fault.Params{"why": why}),
			"Der Start ist fehlgeschlagen: Die Datenbank antwortet nicht. Es wurde nichts geändert. Versuchen Sie es gleich noch einmal. " +
				"Starten Sie jetzt eine oder warten Sie auf die nächste."},
		"a part without words": {fault.Sayf("missed", "{why} Start one now.",
			fault.Params{"why": fault.Say("of_a_later_version", "New.")}), "Meldung (englisch): As it is."},
		"a place without value": {fault.Say("missed", "Start one now."), "Meldung (englisch): As it is."},
		"no code":               {fault.Sayf("", "Only in English.", nil), "Meldung (englisch): As it is."},
	} {
		m := must.Get(text.Render(notify.BackupFailed, notify.Params{"job": "backup", "began": "2026-11-23T01:00:00Z",
			"error": "As it is.", "cause": notify.Cause(c.cause)}, text.German, zone))(t)
		if got := strings.Join(m.Lines[1:], "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
