package fault

import "maps"

// Sentence is a text for people, in English, with the code and params for translations.
// A param may be a sentence itself, or a time as in RFC 3339.
type Sentence struct {
	Code   string `json:"code,omitempty"` // in snake_case; empty: there is only the English text
	Params Params `json:"params,omitempty"`
	Text   string `json:"text"`
}

// Say makes a sentence that is not a fault's. Code and text must be literals:
// test/arch extracts them into api/errors.json.
func Say(code, text string) Sentence { return Sayf(code, text, nil) }

// Sayf is Say with {places} in the text, each named after a param.
func Sayf(code, text string, params Params) Sentence {
	return Sentence{Code: code, Params: params, Text: fill(text, params)}
}

// String returns the English text.
func (s Sentence) String() string { return s.Text }

// Texts returns sentences in English; never nil.
func Texts(list []Sentence) []string {
	texts := make([]string, 0, len(list))
	for _, s := range list {
		texts = append(texts, s.Text)
	}
	return texts
}

// Sentence returns the fault's detail. Its params include the name of its sentence, as reason.
func (e *Error) Sentence() Sentence {
	s := Sentence{Code: string(e.Code), Params: e.Params, Text: e.Detail}
	if e.Reason != "" {
		s.Params = Params{}
		maps.Copy(s.Params, e.Params)
		s.Params["reason"] = e.Reason
	}
	return s
}
