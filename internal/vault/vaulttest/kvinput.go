package vaulttest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/vault"
)

var kvInputCases = []testCase{
	{"JSON values", testJSONValues},
	{"big document", testBigDocument},
	{"malformed paths", testMalformedPaths},
	{"malformed documents", testMalformedDocuments},
}

func testJSONValues(t *testing.T, h Harness) {
	path := freshPath("values")
	in := vault.Data{
		"int": 42, "big": json.Number("9007199254740993"), "float": 0.1, "true": true, "null": nil,
		"text": "Zoë 🔑 <&> \u2028 \"\\\" \x00 \uFFFD", "λ key": "", "list": []any{"a", 1, nil},
		"object": map[string]any{"nested": map[string]any{"n": -7}},
	}
	want := vault.Data{
		"int": json.Number("42"), "big": json.Number("9007199254740993"), "float": json.Number("0.1"), "true": true, "null": nil,
		"text": "Zoë 🔑 <&> \u2028 \"\\\" \x00 \uFFFD", "λ key": "", "list": []any{"a", json.Number("1"), nil},
		"object": map[string]any{"nested": map[string]any{"n": json.Number("-7")}},
	}
	put(t, h, path, in, 0)
	got, err := h.Engine.Get(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Data); diff != "" {
		t.Error(diff)
	}
	got.Data["int"] = "changed by the caller"
	again, err := h.Engine.Get(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again.Data); diff != "" {
		t.Error("a caller's change reached the vault: " + diff)
	}
	empty := freshPath("empty")
	put(t, h, empty, vault.Data{}, 0)
	if got, err := h.Engine.Get(t.Context(), empty); err != nil || got.Data == nil || len(got.Data) != 0 {
		t.Errorf("empty document: %v, %v", got.Data, err)
	}
}

func testBigDocument(t *testing.T, h Harness) {
	path := freshPath("big")
	text := strings.Repeat("0123456789abcdef", 16<<10) // 256 KiB
	put(t, h, path, vault.Data{"big": text}, 0)
	got, err := h.Engine.Get(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if got.Data["big"] != text {
		t.Error("a big document came back changed")
	}
}

func testMalformedPaths(t *testing.T, h Harness) {
	ctx := t.Context()
	for name, path := range map[string]string{
		"empty": "", "leading slash": "/a", "trailing slash": "a/", "empty segment": "a//b", "dot": "a/./b",
		"dots": "../sys/seal", "space": "a b", "control": "a\x01", "zero": "a\x00b", "not UTF-8": "a\xff",
		"query": "a?version=1", "fragment": "a#b", "percent": "a%2fb", "star": "a*", "backslash": `a\b`,
		"long": strings.Repeat("a", vault.MaxPath+1), "beyond ASCII": "ключ",
	} {
		if _, err := h.Engine.Put(ctx, path, vault.Data{"a": "b"}, vault.AnyVersion); !errors.Is(err, vault.ErrInvalid) {
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
	put(t, h, longest, vault.Data{"a": "b"}, 0)
}

func testMalformedDocuments(t *testing.T, h Harness) {
	path := freshPath("malformed")
	const secretText = "s3cr3t-value"
	for name, data := range map[string]vault.Data{
		"nil": nil, "channel": {"a": make(chan int)}, "not UTF-8": {"a": secretText + "\xff"},
		"key not UTF-8": {secretText + "\xff": "a"}, "not a number": {"a": json.Number(secretText)},
	} {
		_, err := h.Engine.Put(t.Context(), path, data, vault.AnyVersion)
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
