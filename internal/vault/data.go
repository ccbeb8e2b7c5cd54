package vault

import (
	"bytes"
	"fmt"
	"log/slog"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxDocument is the largest document in bytes: the limit of a HashiCorp Vault on its integrated
// storage.
const MaxDocument = 1 << 20

// Data is a document: the text of one JSON object (RFC 8259) in UTF-8, without duplicate names. An
// engine may return it in another order and with other white space, but with the same values; one
// that cannot keep a number beyond a double refuses it. It holds secrets, so it does not print
// itself.
type Data []byte

// Encode makes the document of a struct or map. ErrInvalid for what JSON cannot express, such as
// text that is not UTF-8.
func Encode(v any) (Data, error) {
	data, err := json.Marshal(v)
	if err != nil { // it may quote a value
		return nil, fmt.Errorf("%w: the document holds a value that JSON cannot express", ErrInvalid)
	}
	return data, nil
}

// Decode reads the document into a struct or map. Its error names no value.
func (d Data) Decode(v any) error {
	if json.Unmarshal(d, v) != nil {
		return fmt.Errorf("vault: a document is not of its form")
	}
	return nil
}

// Same reports whether two documents have the same value, however they are written.
func (d Data) Same(other Data) bool {
	a, b := jsontext.Value(bytes.Clone(d)), jsontext.Value(bytes.Clone(other))
	return a.Canonicalize() == nil && b.Canonicalize() == nil && bytes.Equal(a, b)
}

// Check reports whether every engine can store the document. Its error is ErrInvalid and never
// repeats a part of it.
func (d Data) Check() error {
	switch text := jsontext.Value(d); {
	case len(d) > MaxDocument:
		return fmt.Errorf("%w: the document is larger than 1 MiB", ErrInvalid)
	case text.Kind() != '{':
		return fmt.Errorf("%w: the document is no JSON object", ErrInvalid)
	case !text.IsValid():
		return fmt.Errorf("%w: the document is no JSON of one meaning: broken, not UTF-8, or a name twice in one object", ErrInvalid)
	}
	return nil
}

// Format hides the document from every verb.
func (d Data) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue hides the document from slog.
func (d Data) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides the document from JSON and every other encoder: engines
// keep its bytes.
func (d Data) MarshalText() ([]byte, error) { return []byte(redacted), nil }

const redacted = "[redacted]"
