package archive_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/keyward/keyward/internal/archive"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// FuzzOpen reads arbitrary bytes: they are refused with a fault, or have what they claim.
func FuzzOpen(f *testing.F) {
	for _, v := range readVectors(f) {
		if len(v.File) < 4096 {
			f.Add(v.File)
		}
	}
	f.Add(write(f, archive.NewHeader(archive.Full, when, true), content{"SELECT 1;", secrets(1)}))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, probed := archive.ProbeWith(bytes.NewReader(file), quick("right"))
		a, got, err := read(file, quick("right"))
		switch {
		case err != nil && !isFault(err):
			t.Errorf("refused without a fault: %v", err)
		case err == nil && (probed != nil || a.DatabaseBytes != int64(len(got.sql)) || a.Secrets != len(got.secrets)):
			t.Errorf("opens as %+v with %d bytes of SQL and %d secrets; the probe: %v", a.Contents, len(got.sql), len(got.secrets), probed)
		}
	})
}

// FuzzPayload reads arbitrary JSON as if it had been encrypted: what is accepted
// equals what encoding/json reads, in pieces of any size.
func FuzzPayload(f *testing.F) {
	const header = `{"header":{"version":1,"created_at":"2026-11-22T02:00:00Z","backup_type":"full","includes_db":true,` +
		`"includes_kv":true,"includes_audit_logs":true},`
	for _, rest := range []string{
		`"database_sql":"INSERT \"x\" \\ \u00e9 \ud83d\udd11 é\n","vault_secrets":{"a/b":{"x":1,"y":[null,"z"]},"c":{}}}`,
		`"vault_secrets":{} , "database_sql" : ""} `, `"database_sql":null,"vault_secrets":null}`, `"database_sql":"x"`, `"more":1}`,
		`"vault_secrets":{"a":{"x":1,"x":2}}}`, `"vault_secrets":{"a":[]}}`, `"database_sql":"\ud83d"}`,
	} {
		f.Add([]byte(header + rest))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > 9000 {
			return // the libraries have limits of their own
		}
		var sql bytes.Buffer
		got := map[string]string{}
		err := archive.Walk(bytes.NewReader(text), &sql, func(path string, data vault.Data) { got[path] = string(data) })
		var slow bytes.Buffer
		again := archive.Walk(iotest.OneByteReader(bytes.NewReader(text)), &slow, func(string, vault.Data) {})
		if (again == nil) != (err == nil) || err == nil && slow.String() != sql.String() {
			t.Errorf("whole: %v; byte by byte: %v", err, again)
		}
		if err != nil {
			return
		}
		var want struct {
			SQL     *string                    `json:"database_sql"`
			Secrets map[string]json.RawMessage `json:"vault_secrets"`
		}
		must.OK(t, json.Unmarshal(text, &want))
		if want.SQL != nil && *want.SQL != sql.String() || want.SQL == nil && sql.Len() > 0 || !maps.Equal(got, texts(want.Secrets)) {
			t.Errorf("%q and %d secrets", sql.String(), len(got))
		}
	})
}

// FuzzUnescape: a JSON string reads as with the libraries, or is refused where the
// strict one refuses it; in pieces of any size.
func FuzzUnescape(f *testing.F) {
	for _, text := range []string{
		`plain"`, `"`, ``, `\"\\\/\b\f\n\r\t"`, `\u0041\u00e9\u20AC\ud83d\uDD11"`, `\ud83d"`, `\udd11\ud83d"`, `\ud83dx\udd11"`, `\u12g4"`, `\x"`,
		"é€\U0001f511\"", "\xff\"", "\xed\xa0\x80\"", "\xf0\x9f\x94", "a\nb\"", `\u+123"`, `\u00"`, `\ud83d\n12345"`, "\x7f\u2028\"", `\`, "\x1f\"",
	} {
		f.Add([]byte(text), uint8(3))
	}
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		in := archive.NewUnescaper(iotest.HalfReader(bytes.NewReader(text)), 16+int(size))
		var got bytes.Buffer
		_, err := io.CopyBuffer(struct{ io.Writer }{&got}, in, make([]byte, 1+int(size)))
		token, wrong := jsontext.NewDecoder(io.MultiReader(strings.NewReader(`"`), bytes.NewReader(text))).ReadToken()
		if (err == nil) != (wrong == nil) {
			t.Fatalf("%q: %v, want %v", text, err, wrong)
		}
		if err != nil {
			return
		}
		var other string
		must.OK(t, json.NewDecoder(strings.NewReader(`"`+string(text))).Decode(&other))
		if got.String() != token.String() || got.String() != other {
			t.Errorf("%q gives %q, want %q", text, got.String(), other)
		}
	})
}

// FuzzEscape: UTF-8 text, cut anywhere, becomes the equivalent JSON string; other
// text is refused.
func FuzzEscape(f *testing.F) {
	for _, text := range []string{
		"", "plain", "\"\\\n\x00\x1f\x7f", "é€\U0001f511", "\xc3", "a\xffb", "\xf0\x9f\x94", "\xed\xa0\x80", "\xc3\xc3\xa9",
	} {
		f.Add([]byte(text), uint16(1), uint16(2))
	}
	f.Fuzz(func(t *testing.T, text []byte, a, b uint16) {
		i := min(int(a), len(text))
		j := i + min(int(b), len(text)-i)
		var out bytes.Buffer
		err := archive.Escape(&out, text[:i], text[i:j], text[j:])
		if (err == nil) != utf8.Valid(text) {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		var got string
		if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != string(text) {
			t.Errorf("%q became %s: %v", text, out.Bytes(), err)
		}
		back, err := io.ReadAll(archive.NewUnescaper(bytes.NewReader(out.Bytes()[1:]), 16))
		if err != nil || string(back) != string(text) {
			t.Errorf("%q came back as %q: %v", text, back, err)
		}
	})
}
