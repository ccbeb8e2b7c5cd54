package store

import (
	"encoding/json"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
)

// jobTexts is what a job says, as its columns have it: in English, which servers of
// earlier versions know alone, and as sentences.
type jobTexts struct{ message, details, warnings, sentences string }

// jobSentences is the column sentences.
type jobSentences struct {
	Message  *fault.Sentence  `json:"error_message,omitempty"`
	Details  []fault.Sentence `json:"details,omitempty"`
	Warnings []fault.Sentence `json:"warnings,omitempty"`
}

func jobTextsOf(message fault.Sentence, details, warnings []fault.Sentence) (t jobTexts, err error) {
	if t.warnings, err = listText(fault.Texts(warnings)); err != nil {
		return t, err
	}
	t.message, t.details = message.Text, backup.Counted(details)
	said := jobSentences{nil, details, warnings}
	switch {
	case message.Text != "":
		said.Message = &message
	case len(details)+len(warnings) == 0: // a server of an earlier version may end it
		return t, nil
	}
	raw, err := json.Marshal(said)
	t.sentences = string(raw)
	return t, err
}

// into gives a job its sentences; without codes where a server of an earlier version
// has written them.
func (t jobTexts) into(j *backup.Job) error {
	if t.sentences == "" {
		return t.english(j)
	}
	var said jobSentences
	if err := json.Unmarshal([]byte(t.sentences), &said); err != nil {
		return err
	}
	if said.Message != nil {
		j.ErrorMessage = *said.Message
	}
	j.Details, j.Warnings = said.Details, said.Warnings
	return nil
}

func (t jobTexts) english(j *backup.Job) error {
	j.ErrorMessage.Text = t.message
	if t.details != "" {
		j.Details = []fault.Sentence{{Text: t.details}}
	}
	warnings, err := listOf[string](t.warnings)
	for _, text := range warnings {
		j.Warnings = append(j.Warnings, fault.Sentence{Text: text})
	}
	return err
}
