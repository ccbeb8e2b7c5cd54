package middleware

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

// mentions reports whether a text contains that character, or may contain it
// escaped. The token reader turns half a surrogate pair, "\ud800", into U+FFFD.
func mentions(data []byte, char string) bool {
	return bytes.Contains(data, []byte(char)) || bytes.Contains(bytes.ToLower(data), []byte(`\ufffd`))
}

// referee judges the same text with the standard library's token reader.
func referee(data []byte) bool {
	if !json.Valid(data) || !utf8.Valid(data) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	type level struct {
		names   map[string]bool
		wantKey bool
	}
	var stack []*level
	for {
		token, err := d.Token()
		if err == io.EOF {
			return true
		}
		if err != nil {
			return false
		}
		top := func() *level {
			if len(stack) == 0 {
				return nil
			}
			return stack[len(stack)-1]
		}
		if s, ok := token.(string); ok {
			if strings.Contains(s, "\x00") || strings.Contains(s, "\ufffd") && !mentions(data, "\ufffd") {
				return false
			}
			if l := top(); l != nil && l.names != nil && l.wantKey {
				if l.names[s] {
					return false
				}
				l.names[s], l.wantKey = true, false
				continue
			}
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			l := &level{}
			if token == json.Delim('{') {
				l.names, l.wantKey = map[string]bool{}, true
			}
			if stack = append(stack, l); len(stack) > maxDepth {
				return false
			}
			continue
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}
		if l := top(); l != nil {
			l.wantKey = true
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `null`, `"a"`, `1e5`, ` {"a" : [1, "b" , {"c":null}], "d":{"a":true}} `, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`,
		`{"a\u0000":1}`, `["\u0000"]`, `["\\u0000"]`, `{"a":"\""}`, `{"\"":1,"\\":2}`, `[[[[]]]]`, `{"a":`, "\xff", `"\ud800"`, `{"a":1}{}`, ``, ` `,
		strings.Repeat("[", 32) + strings.Repeat("]", 32), strings.Repeat("[", 33) + strings.Repeat("]", 33), `{"":1,"":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var v any
		err := checkJSON(data)
		if want := referee(data); (err == nil) != want && !mentions(data, "\ufffd") {
			t.Fatalf("%q: %v, the referee says %v", data, err, want)
		}
		if unmarshal(data, &v) == nil && err != nil {
			t.Fatalf("%q was read all the same", data)
		}
	})
}

func BenchmarkCheckJSON(b *testing.B) {
	data := []byte(`{"username":"ann.smith","password":"correct horse battery staple","machine_id":"0123456789abcdef"}`)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := checkJSON(data); err != nil {
			b.Fatal(err)
		}
	}
}
