package notify

import (
	"encoding/json"

	"github.com/keyward/keyward/internal/fault"
)

// Cause encodes a sentence as a param, to be rendered in another language; empty when
// it has no code.
func Cause(s fault.Sentence) string {
	if s.Code == "" {
		return ""
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return "" // the English text is another param
	}
	return string(raw)
}
