package store

import (
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
)

// TestJobTexts: a job's texts keep their codes, and are also stored in English.
func TestJobTexts(t *testing.T) {
	t.Parallel()
	english := func(text string) []fault.Sentence { return []fault.Sentence{{Text: text}} }
	inner := fault.Say("full", "Full.")
	message := fault.Sayf("failed", "{why} Make room.", fault.Params{"why": inner})
	made, err := jobTextsOf(message, english("3 rows."), []fault.Sentence{inner})
	if err != nil {
		t.Fatal(err)
	}
	want := jobTexts{"Full. Make room.", "3 rows.", `["Full."]`,
		`{"error_message":{"code":"failed","params":{"why":{"code":"full","text":"Full."}},"text":"Full. Make room."},` +
			`"details":[{"text":"3 rows."}],"warnings":[{"code":"full","text":"Full."}]}`}
	if made != want {
		t.Errorf("%+v", made)
	}
	var got backup.Job
	if err := sentencesInto(&got, made.sentences); err != nil {
		t.Fatal(err)
	}
	if got.ErrorMessage.Code != "failed" || got.ErrorMessage.Text != message.Text ||
		!slices.Equal(fault.Texts(got.Details), []string{"3 rows."}) || len(got.Warnings) != 1 || got.Warnings[0].Code != "full" {
		t.Errorf("read: %+v", got)
	}
	if none, err := jobTextsOf(fault.Sentence{}, nil, nil); err != nil || none != (jobTexts{warnings: "[]"}) {
		t.Errorf("of a job that says nothing: %+v, %v", none, err)
	}
}
