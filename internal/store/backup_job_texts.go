package store

import (
	"encoding/json"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
)

// jobTexts is what a job says, as its columns have it: in English, for people who look there, and
// as sentences, which are what is read. Empty if it says nothing.
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
	case len(details)+len(warnings) == 0:
		return t, nil
	}
	raw, err := json.Marshal(said)
	t.sentences = string(raw)
	return t, err
}

// sentencesInto sets a job's sentences.
func sentencesInto(j *backup.Job, text string) error {
	if text == "" {
		return nil
	}
	var said jobSentences
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		return err
	}
	if said.Message != nil {
		j.ErrorMessage = *said.Message
	}
	j.Details, j.Warnings = said.Details, said.Warnings
	return nil
}
