package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
)

// TestJobTexts: what a server of an earlier version has written is said in English; what
// this one writes keeps its codes, and has the English texts for the earlier one.
func TestJobTexts(t *testing.T) {
	t.Parallel()
	earlier := jobTexts{message: "Full.", details: "3 rows", warnings: `["w"]`}
	english := func(text string) []fault.Sentence { return []fault.Sentence{{Text: text}} }
	for name, c := range map[string]struct {
		texts jobTexts
		want  backup.Job
	}{
		"of an earlier version": {earlier, backup.Job{ErrorMessage: english("Full.")[0], Details: english("3 rows"), Warnings: english("w")}},
		"nothing yet":           {jobTexts{warnings: "[]"}, backup.Job{}},
	} {
		var got backup.Job
		if err := c.texts.into(&got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got): %s", name, diff)
		}
	}
	inner := fault.Say("full", "Full.")
	message := fault.Sayf("failed", "{why} Make room.", fault.Params{"why": inner})
	made, err := jobTextsOf(message, english("3 rows."), []fault.Sentence{inner})
	if err != nil {
		t.Fatal(err)
	}
	want := jobTexts{"Full. Make room.", "3 rows", `["Full."]`,
		`{"error_message":{"code":"failed","params":{"why":{"code":"full","text":"Full."}},"text":"Full. Make room."},` +
			`"details":[{"text":"3 rows."}],"warnings":[{"code":"full","text":"Full."}]}`}
	if made != want {
		t.Errorf("%+v", made)
	}
	if none, err := jobTextsOf(fault.Sentence{}, nil, nil); err != nil || none != (jobTexts{warnings: "[]"}) {
		t.Errorf("of a job that says nothing: %+v, %v", none, err)
	}
}
