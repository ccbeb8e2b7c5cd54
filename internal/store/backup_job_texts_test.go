package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
)

// TestJobTexts: what a job says keeps its codes, and stands there in English, too.
func TestJobTexts(t *testing.T) {
	t.Parallel()
	english := func(text string) []fault.Sentence { return []fault.Sentence{{Text: text}} }
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
	var got backup.Job
	if err := sentencesInto(&got, made.sentences); err != nil {
		t.Fatal(err)
	}
	says := backup.Job{ErrorMessage: message, Details: english("3 rows."), Warnings: []fault.Sentence{inner}}
	if diff := cmp.Diff(says, got); diff != "" {
		t.Errorf("read (-want +got): %s", diff)
	}
	if none, err := jobTextsOf(fault.Sentence{}, nil, nil); err != nil || none != (jobTexts{warnings: "[]"}) {
		t.Errorf("of a job that says nothing: %+v, %v", none, err)
	}
}
