package license

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical is the canonical form of a JSON text by RFC 8785. It is an error when the
// text is no I-JSON: broken, not UTF-8, or a name twice in one object.
func Canonical(text []byte) ([]byte, error) {
	value := jsontext.Value(bytes.Clone(text))
	if err := value.Canonicalize(); err != nil {
		return nil, err
	}
	return value, nil
}
