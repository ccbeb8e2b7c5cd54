package license

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns the canonical form of a JSON text by RFC 8785. It fails when the
// text is not I-JSON: broken, not UTF-8, or with a duplicate name in an object.
func Canonical(text []byte) ([]byte, error) {
	value := jsontext.Value(bytes.Clone(text))
	if err := value.Canonicalize(); err != nil {
		return nil, err
	}
	return value, nil
}
