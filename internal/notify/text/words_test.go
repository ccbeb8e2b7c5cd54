package text_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/notify/text"
	"github.com/keyward/keyward/test/must"
)

// sources are the files with the texts of a language.
var sources = map[string]string{text.English: "english*.go", text.German: "german*.go"}

// TestOneWordForOneThing: messages use the terms of the pages, in their sources
// and in rendered samples.
func TestOneWordForOneThing(t *testing.T) {
	t.Parallel()
	for lang, pattern := range sources {
		said := map[string]string{}
		for _, file := range must.Get(filepath.Glob(pattern))(t) {
			if !strings.HasSuffix(file, "_test.go") {
				written(t, file, said)
			}
		}
		if len(said) < 100 {
			t.Errorf("%s: %d texts are too few", lang, len(said))
		}
		for _, s := range samples {
			m := must.Get(text.Render(s.kind, s.params, lang, zone))(t)
			for _, line := range append([]string{m.Subject}, append(m.Lines, m.List...)...) {
				said[line] = string(s.kind)
			}
		}
		for _, wrong := range unsaid(t, lang, said) {
			t.Error(wrong)
		}
	}
}

// unsaid returns uses of terms banned in the language; texts are keyed by position.
func unsaid(t *testing.T, lang string, said map[string]string) []string {
	t.Helper()
	var banned map[string][]string
	must.OK(t, json.Unmarshal(must.Get(os.ReadFile("../../../ui/src/text/words.json"))(t), &banned))
	var wrong []string
	for _, b := range banned[lang] {
		for line, where := range said {
			if regexp.MustCompile(b).MatchString(line) {
				wrong = append(wrong, where+": "+b+": "+line)
			}
		}
	}
	if len(banned[lang]) == 0 {
		t.Errorf("%s: the list is empty", lang)
	}
	return wrong
}

// written adds the texts of a file, joined over +, with {} for a value.
func written(t *testing.T, file string, said map[string]string) {
	t.Helper()
	set := token.NewFileSet()
	ast.Inspect(must.Get(parser.ParseFile(set, file, nil, 0))(t), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case ast.Expr:
			if line, ok := joined(n); ok {
				said[line] = set.Position(n.Pos()).String()
			}
		}
		return true
	})
}

// joined returns the text of an expression, if it is one.
func joined(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		line, err := strconv.Unquote(e.Value)
		return line, e.Kind == token.STRING && err == nil
	case *ast.ParenExpr:
		return joined(e.X)
	case *ast.BinaryExpr:
		left, l := joined(e.X)
		right, r := joined(e.Y)
		if e.Op != token.ADD || !l && !r {
			return "", false
		}
		if !l {
			left = "{}"
		}
		if !r {
			right = "{}"
		}
		return left + right, true
	}
	return "", false
}
