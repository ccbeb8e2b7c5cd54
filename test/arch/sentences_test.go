package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sentences collects the arguments of calls of fault's constructors.
type sentences struct {
	codes                  map[string]string // of package fault, by the constant's name
	problems, fields, jobs []entry
	wrong                  []string
}

// constructor describes a call's arguments: the position of the sentence's name, before
// its text and params, and the kind of sentence.
type constructor struct {
	name int
	of   string
}

// constructors are package fault's.
var constructors = map[string]constructor{
	"New": {1, "problem"}, "Newf": {1, "problem"}, "Wrong": {1, "field"}, "Wrongf": {1, "field"}, "Say": {0, "job"}, "Sayf": {0, "job"},
}

// inJobs matches where the problems are created that a backup job may end with.
var inJobs = regexp.MustCompile(`internal/((archive|backup|objstore|restore)/|vault/\w+\.go|store/(errors|restore\w*)\.go)`)

var (
	snake = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	holes = regexp.MustCompile(`\{([^}]*)\}`)
)

func newSentences(t *testing.T, codes string) *sentences {
	t.Helper()
	s := &sentences{codes: map[string]string{}}
	file, err := parser.ParseFile(token.NewFileSet(), codes, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
			s.codes[spec.Names[0].Name], _ = literal(spec.Values[0])
		}
		return true
	})
	return s
}

func (s *sentences) read(path string, of []string) {
	if strings.HasSuffix(path, "_test.go") {
		return
	}
	src, err := os.ReadFile(path) // #nosec G304 -- in this module
	if err != nil {
		s.wrong = append(s.wrong, err.Error())
		return
	}
	s.parse(path, src, of)
}

// parse parses one file. If params are a variable, it uses the only literal that the
// file assigns to it.
func (s *sentences) parse(path string, src []byte, of []string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, 0)
	if err != nil {
		s.wrong = append(s.wrong, err.Error())
		return
	}
	own := file.Name.Name == "fault"
	variables := map[string]ast.Expr{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return !own || n.Name.Name != "Wrong" && n.Name.Name != "Say" // they call Wrongf and Sayf
		case *ast.AssignStmt:
			if x, ok := n.Lhs[0].(*ast.Ident); ok && len(n.Rhs) == 1 {
				variables[x.Name] = n.Rhs[0]
			}
		case *ast.CompositeLit:
			if name := called(n.Type, own); !own && (name == "Field" || name == "Error" || name == "Sentence" && coded(n)) {
				s.wrong = append(s.wrong, fmt.Sprintf("%s: a fault.%s by hand: use a constructor", fset.Position(n.Pos()), name))
			}
		case *ast.CallExpr:
			c, ok := constructors[called(n.Fun, own)]
			if !ok {
				return true
			}
			if why := s.add(n.Args, c, variables, path, of); why != "" {
				s.wrong = append(s.wrong, fmt.Sprintf("%s: %s", fset.Position(n.Pos()), why))
			}
		}
		return true
	})
}

// coded reports whether a literal has a code: a sentence without one exists only in
// English.
func coded(lit *ast.CompositeLit) bool {
	return slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		key, ok := kv.Key.(*ast.Ident)
		return ok && key.Name == "Code"
	})
}

// called returns the name of an expression in package fault, or empty.
func called(e ast.Expr, own bool) string {
	switch e := e.(type) {
	case *ast.Ident:
		if own {
			return e.Name
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && x.Name == "fault" {
			return e.Sel.Name
		}
	}
	return ""
}

// add records one call, and returns what is wrong with it.
func (s *sentences) add(args []ast.Expr, c constructor, variables map[string]ast.Expr, path string, of []string) string {
	name, named := literal(args[c.name])
	text, said := literal(args[c.name+1])
	e := entry{Code: name, Text: text, Of: slices.Clone(of), Params: []string{}}
	if c.of == "problem" {
		e.Code, e.Reason = s.codes[called(args[0], true)], name
	}
	switch {
	case !named || !said || e.Code == "":
		return "code, reason and text have to be written out"
	case !snake.MatchString(e.Code) || e.Reason != "" && !snake.MatchString(e.Reason):
		return e.Code + " " + e.Reason + " is not in snake_case"
	}
	places := holes.FindAllStringSubmatch(text, -1)
	given := []string{}
	known := len(args) < c.name+3
	if !known {
		given, known = keys(args[c.name+2], variables)
	}
	for _, p := range places {
		switch {
		case known && !slices.Contains(given, p[1]):
			return "{" + p[1] + "} is no param"
		case !known: // created elsewhere
			given = append(given, p[1])
		}
	}
	slices.Sort(given)
	e.Params = slices.Compact(given)
	switch c.of {
	case "problem":
		s.problems = append(s.problems, e)
	case "field":
		s.fields = append(s.fields, e)
	}
	if c.of == "job" || c.of == "problem" && inJobs.MatchString(path) {
		s.jobs = append(s.jobs, e)
	}
	return ""
}

// literal returns a string literal, perhaps concatenated.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		v, err := strconv.Unquote(e.Value)
		return v, err == nil
	case *ast.BinaryExpr:
		a, first := literal(e.X)
		b, second := literal(e.Y)
		return a + b, first && second
	}
	return "", false
}

// keys returns the names in a literal of params.
func keys(e ast.Expr, variables map[string]ast.Expr) ([]string, bool) {
	if x, ok := e.(*ast.Ident); ok {
		e = variables[x.Name]
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil, false
	}
	names := []string{}
	for _, pair := range lit.Elts {
		if kv, ok := pair.(*ast.KeyValueExpr); ok {
			if name, ok := literal(kv.Key); ok {
				names = append(names, name)
			}
		}
	}
	return names, true
}
