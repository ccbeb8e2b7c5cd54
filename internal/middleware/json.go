package middleware

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/keyward/keyward/internal/fault"
)

// maxDepth is the maximum nesting of objects and lists in a body.
const maxDepth = 32

// unmarshal reads JSON (RFC 8259) for the HTTP library, and refuses what two
// parsers may understand differently or a text column cannot store: invalid
// UTF-8, duplicate members in an object, U+0000, nesting deeper than 32.
func unmarshal(data []byte, v any) error {
	if _, first := v.(*any); first { // the library's first of two passes over the same bytes
		if err := checkJSON(data); err != nil {
			return err
		}
	}
	err := json.Unmarshal(data, v)
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		return finding{Code: "bad_value", Field: pointed(e.JSONPointer)}
	}
	return finding{Code: "not_json"}
}

// checkJSON checks the text before it is decoded.
func checkJSON(data []byte) error {
	if !utf8.Valid(data) { // the library refuses it, too, but without an error of its own
		return finding{Code: "not_utf8"}
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(data))
	for {
		token, err := d.ReadToken()
		_, values := d.StackIndex(0)
		switch {
		case err == io.EOF && values == 1: //nolint:errorlint // as io.Reader has it
			return nil
		case errors.Is(err, jsontext.ErrDuplicateName):
			twice, _ := errors.AsType[*jsontext.SyntacticError](err)
			return finding{Code: "duplicate_field", Field: pointed(twice.JSONPointer)}
		case err != nil, values > 1:
			return finding{Code: "not_json"}
		case d.StackDepth() > maxDepth:
			return finding{Code: "too_deep", Params: fault.Params{"max": maxDepth}}
		case token.Kind() == '"' && strings.IndexByte(token.String(), 0) >= 0:
			at := d.StackPointer()
			if parent, read := d.StackIndex(d.StackDepth()); parent == '{' && read%2 == 1 { // it is a name
				at = at.Parent()
			}
			return finding{Code: "nul_character", Field: pointed(at)}
		}
	}
}

// pointed converts a JSON pointer (RFC 6901) to a field name: a.b[0].
func pointed(at jsontext.Pointer) string {
	var b strings.Builder
	for name := range at.Tokens() {
		if _, err := strconv.ParseUint(name, 10, 32); err == nil {
			b.WriteString("[" + name + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(name)
	}
	return b.String()
}
