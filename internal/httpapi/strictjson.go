package httpapi

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// bodyFaultMark parts field and message in the text of a bodyFault: the HTTP
// library passes on nothing of an error but its text. No message has it, and
// a name that has it is made printable first.
const bodyFaultMark = "\x00: "

// bodyFault is what is wrong with a JSON body before any schema is asked.
type bodyFault struct{ field, message string }

func (f *bodyFault) Error() string {
	return strings.ReplaceAll(f.field, "\x00", "?") + bodyFaultMark + f.message
}

const maxDepth = 32

// unmarshalStrict reads JSON (RFC 8259), and refuses what two parsers may
// understand differently or a text column cannot hold: invalid UTF-8, a
// member twice in one object, U+0000, nesting deeper than 32.
func unmarshalStrict(data []byte, v any) error {
	if _, first := v.(*any); first { // the library's first of two passes over the same bytes
		if err := checkJSON(data); err != nil {
			return err
		}
	}
	err := json.Unmarshal(data, v)
	if err == nil {
		return nil
	}
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && t.Field != "" {
		return &bodyFault{t.Field, "is out of range or of the wrong type"}
	}
	return &bodyFault{"body", "is not valid JSON, or a number in it is out of range"}
}

func checkJSON(data []byte) error {
	if !utf8.Valid(data) {
		return &bodyFault{"body", "is not valid UTF-8"}
	}
	if tooDeep(data) { // first: it also bounds the recursion below
		return &bodyFault{"body", "is nested too deeply"}
	}
	if !json.Valid(data) {
		return &bodyFault{"body", "is not valid JSON"}
	}
	c := checker{data: data}
	return c.value("")
}

// tooDeep counts open brackets outside strings. It works on anything, valid
// or not.
func tooDeep(data []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// checker walks over JSON that is known to be valid.
type checker struct {
	data []byte
	pos  int
}

func (c *checker) space() {
	for c.pos < len(c.data) && strings.IndexByte(" \t\r\n", c.data[c.pos]) >= 0 {
		c.pos++
	}
}

func (c *checker) value(path string) error {
	c.space()
	switch c.data[c.pos] {
	case '{':
		return c.object(path)
	case '[':
		return c.array(path)
	case '"':
		_, err := c.text(path)
		return err
	default: // number, true, false, null
		for c.pos < len(c.data) && strings.IndexByte(",]} \t\r\n", c.data[c.pos]) < 0 {
			c.pos++
		}
		return nil
	}
}

func (c *checker) object(path string) error {
	c.pos++
	seen := map[string]bool{}
	for {
		c.space()
		switch c.data[c.pos] {
		case '}':
			c.pos++
			return nil
		case ',':
			c.pos++
			c.space()
		}
		name, err := c.text(path)
		if err != nil {
			return err
		}
		at := join(path, name)
		if seen[name] {
			return &bodyFault{at, "is there more than once"}
		}
		seen[name] = true
		c.space()
		c.pos++ // the colon
		if err := c.value(at); err != nil {
			return err
		}
	}
}

func (c *checker) array(path string) error {
	c.pos++
	for {
		c.space()
		switch c.data[c.pos] {
		case ']':
			c.pos++
			return nil
		case ',':
			c.pos++
		}
		if err := c.value(path); err != nil {
			return err
		}
	}
}

// text reads a string and gives its unescaped value.
func (c *checker) text(path string) (string, error) {
	start, escaped := c.pos, false
	for c.pos++; c.data[c.pos] != '"'; c.pos++ {
		if c.data[c.pos] == '\\' {
			escaped = true
			c.pos++
		}
	}
	c.pos++
	raw := c.data[start:c.pos]
	if !escaped {
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", &bodyFault{"body", "is not valid JSON"}
	}
	if strings.IndexByte(s, 0) >= 0 {
		if path == "" {
			path = "body"
		}
		return "", &bodyFault{path, "has a character U+0000"}
	}
	return s, nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
