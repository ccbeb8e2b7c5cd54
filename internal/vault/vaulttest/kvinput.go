package vaulttest

import (
	"errors"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var kvInputCases = []testCase{
	{"JSON values", testJSONValues},
	{"big document", testBigDocument},
	{"malformed paths", testMalformedPaths},
	{"malformed documents", testMalformedDocuments},
}

func testJSONValues(t *testing.T, h Harness) {
	const document = `{"int":42,"big":9007199254740991,"float":0.1,"-0":-0,
		"true":true,"null":null,"text":"Zoë 🔑 <&> \u2028 \"\\\" \u0000 \uFFFD","λ key":"","list":["a",1,null,[]],
		"object":{"nested":{"n":-7}}}`
	path := freshPath("values")
	put(t, h, path, document, 0)
	holds(t, h, path, 1, document)
	got := must.Get(h.Engine.Get(t.Context(), path))(t)
	clear(got.Data)
	holds(t, h, path, 1, document) // the caller's copy is the caller's
	for name, number := range map[string]string{"big": "9007199254740993", "exact": "0.10000000000000000555", "exponent": "1e400"} {
		path, document := freshPath(name), `{"a":[{"b":`+number+`}]}`
		if h.Digits {
			put(t, h, path, document, 0)
			holds(t, h, path, 1, document)
			continue
		}
		// It must not come back as another one.
		if _, err := h.Engine.Put(t.Context(), path, vault.Data(document), 0); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	empty := freshPath("empty")
	put(t, h, empty, ` {} `, 0)
	holds(t, h, empty, 1, `{}`)
}

func testBigDocument(t *testing.T, h Harness) {
	path := freshPath("big")
	document := `{"big":"` + strings.Repeat("0123456789abcdef", 16<<10) + `"}` // 256 KiB
	put(t, h, path, document, 0)
	holds(t, h, path, 1, document)
}

func testMalformedPaths(t *testing.T, h Harness) {
	ctx := t.Context()
	for name, path := range map[string]string{
		"empty": "", "leading slash": "/a", "trailing slash": "a/", "empty segment": "a//b", "dot": "a/./b",
		"dots": "../sys/seal", "space": "a b", "control": "a\x01", "zero": "a\x00b", "not UTF-8": "a\xff",
		"query": "a?version=1", "fragment": "a#b", "percent": "a%2fb", "star": "a*", "backslash": `a\b`,
		"long": strings.Repeat("a", vault.MaxPath+1), "beyond ASCII": "ключ",
	} {
		if _, err := h.Engine.Put(ctx, path, vault.Data(`{"a":"b"}`), 0); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("Put, %s: %v", name, err)
		}
		if _, err := h.Engine.Get(ctx, path); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("Get, %s: %v", name, err)
		}
		if err := h.Engine.DestroyPath(ctx, path); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("DestroyPath, %s: %v", name, err)
		}
		if _, err := h.Engine.List(ctx, path); path != "" && !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("List, %s: %v", name, err)
		}
	}
	longest := freshPath("")
	longest += strings.Repeat("z", vault.MaxPath-len(longest))
	put(t, h, longest, `{"a":"b"}`, 0)
}

func testMalformedDocuments(t *testing.T, h Harness) {
	path := freshPath("malformed")
	const secretText = "s3cr3t-value"
	for name, document := range map[string]string{
		"empty": "", "null": "null", "list": `[{"a":"b"}]`, "text": `"a"`, "number": "1", "cut": `{"a":"` + secretText,
		"two": `{"a":"b"}{"c":"d"}`, "trailing": `{"a":"b"},`, "comment": `{"a":"b"} // ` + secretText,
		"not UTF-8": `{"a":"` + secretText + "\xff\"}", "key not UTF-8": `{"` + secretText + "\xff\":1}",
		"half a character": `{"a":"` + secretText + `\ud83d"}`, "not a number": `{"a":` + secretText + `}`, "leading zero": `{"a":01}`,
		"a name twice": `{"` + secretText + `":1,"` + secretText + `":2}`, "a name twice within": `{"a":{"b":1,"b":2}}`,
		"a name twice, escaped": `{"a":1,"\u0061":2}`, "single quotes": `{'a':'b'}`,
		"too large": `{"a":"` + strings.Repeat("b", vault.MaxDocument) + `"}`,
	} {
		_, err := h.Engine.Put(t.Context(), path, vault.Data(document), 0)
		if !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(err.Error(), secretText) {
			t.Errorf("%s: the error repeats the value", name)
		}
	}
	if _, err := h.Engine.Metadata(t.Context(), path); !errors.Is(err, vault.ErrNotFound) {
		t.Errorf("a refused write left something: %v", err)
	}
}
