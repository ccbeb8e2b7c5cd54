package fault

import "maps"

// Sentence is what people read, in English, with the code and the params by which it is
// said in another language. A param may be a sentence itself, or a time as in RFC 3339.
type Sentence struct {
	Code   string `json:"code,omitempty"` // in snake_case; empty: there is the English text alone
	Params Params `json:"params,omitempty"`
	Text   string `json:"text"`
}

// Say makes a sentence that is no fault's. Code and text are literals: test/arch reads
// them into api/errors.json.
func Say(code, text string) Sentence { return Sayf(code, text, nil) }

// Sayf is Say with {places} in the text, each the name of a param.
func Sayf(code, text string, params Params) Sentence {
	return Sentence{Code: code, Params: params, Text: fill(text, params)}
}

// String is the English text.
func (s Sentence) String() string { return s.Text }

// Texts are sentences in English; an empty list of none.
func Texts(list []Sentence) []string {
	texts := make([]string, 0, len(list))
	for _, s := range list {
		texts = append(texts, s.Text)
	}
	return texts
}

// Sentence is the fault's detail. The name of its sentence is among the params, as reason.
func (e *Error) Sentence() Sentence {
	s := Sentence{Code: string(e.Code), Params: e.Params, Text: e.Detail}
	if e.Reason != "" {
		s.Params = Params{}
		maps.Copy(s.Params, e.Params)
		s.Params["reason"] = e.Reason
	}
	return s
}
