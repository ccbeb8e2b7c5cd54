package arch

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

// TestPagesHaveWords checks that the pages have words, in both languages, for each
// constant that the server sends only by name.
func TestPagesHaveWords(t *testing.T) {
	t.Parallel()
	dir := root(t)
	for _, c := range []struct{ pkg, typeName, area, within string }{
		{"internal/audit", "Action", "audit.ts", ""},
		{"internal/webhook", "Class", "webhooks.ts", ""},
		{"internal/notify/mail", "Class", "mail.ts", ""},
		{"internal/notify", "Kind", "mail.ts", "const kinds"},
	} {
		names := constants(t, filepath.Join(dir, c.pkg), c.typeName)
		if len(names) < 10 {
			t.Errorf("%s: only %d constants of %s: %v", c.pkg, len(names), c.typeName, names)
		}
		for _, language := range []string{"en", "de"} {
			path := filepath.Join(dir, "ui/src/text", language, c.area)
			words, err := os.ReadFile(path) // #nosec G304 -- in this module
			if err != nil {
				t.Fatal(err)
			}
			if c.within != "" {
				_, after, ok := bytes.Cut(words, []byte(c.within))
				if !ok {
					t.Fatalf("%s/%s has no %s", language, c.area, c.within)
				}
				words, _, _ = bytes.Cut(after, []byte("\n};"))
			}
			for _, name := range names {
				if !regexp.MustCompile(`(?m)^\s*"?` + regexp.QuoteMeta(name) + `"?:`).Match(words) {
					t.Errorf("%s/%s has no words for %s %s", language, c.area, c.typeName, name)
				}
			}
		}
	}
}

// constants returns the values of a package's constants of a string type.
func constants(t *testing.T, pkg, typeName string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for node := range ast.Preorder(parsed) {
			spec, ok := node.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				continue
			}
			name, ok := spec.Type.(*ast.Ident)
			value, literal := spec.Values[0].(*ast.BasicLit)
			if !ok || name.Name != typeName || !literal {
				continue
			}
			text, err := strconv.Unquote(value.Value)
			if err != nil {
				t.Fatal(err)
			}
			if text != "" && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}
