package arch

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxLines is the maximum length of a handwritten file.
const maxLines = 350

// vagueNames are meaningless package names. token is one, too: hardware, access and
// refresh tokens all live here.
var vagueNames = []string{
	"util", "utils", "common", "helper", "helpers", "model", "models", "dto", "dtos",
	"service", "services", "token", "tokens", "misc", "shared",
}

// inventedPackages and inventedNames are names that a newcomer would have to learn; the
// field has terms for them, and docs/architecture.md a glossary of what is truly ours.
var (
	inventedPackages = []string{"edge", "envelope", "pairing", "oneline", "caseless", "kept", "recovery", "desk", "ownership"}
	inventedNames    = []string{
		"TakeDown", "Become", "Sheet", "Lose", "Lacking", "Lacked", "Held", "Barred", "Stray", "Living", "Bare",
		"ParentsFirst", "Altered",
	}
)

// declared are the names of a file's functions, methods, types, fields, constants and variables.
func declared(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(append(names, spec.Name.Name), members(spec.Type)...)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// members are the names of a struct's fields, or of an interface's methods.
func members(t ast.Expr) (names []string) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return nil
	}
	for _, f := range list.List {
		for _, name := range f.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// tags are the words allowed in a build constraint, since they hide no test: what one
// platform leaves out runs on another, and make test-all runs the exhaustive tests.
var tags = []string{"linux", "darwin", "windows", "unix", "race", "exhaustive"}

// faults returns a Go file's violations of the rules.
func faults(path string, src []byte) ([]string, *ast.File) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, parser.ParseComments)
	if err != nil {
		return []string{err.Error()}, nil
	}
	var found []string
	if slices.Contains(vagueNames, strings.TrimSuffix(file.Name.Name, "_test")) {
		found = append(found, "the package name "+file.Name.Name+" says nothing about what is in it")
	}
	if slices.Contains(inventedPackages, strings.TrimSuffix(file.Name.Name, "_test")) {
		found = append(found, "the field has another term for the package name "+file.Name.Name)
	}
	if ast.IsGenerated(file) {
		return found, file
	}
	for _, name := range declared(file) {
		if slices.Contains(inventedNames, name) && !strings.HasPrefix(path, "api/") { // there: wire names
			found = append(found, "the field has another term for "+name)
		}
	}
	if fset.File(file.FileStart).LineCount() > maxLines {
		found = append(found, "it has more than 350 lines: split it by idea")
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			found = append(found, "it has an init function: commands wire everything by hand")
		}
	}
	if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "test/") || strings.HasSuffix(file.Name.Name, "test") {
		found = append(found, testFaults(file)...)
	}
	return found, file
}

// testFaults returns what lets a test pass without testing, or makes it depend on the
// speed of the machine.
func testFaults(file *ast.File) []string {
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := s.X.(*ast.Ident)
		if !ok {
			return true
		}
		switch {
		case slices.Contains([]string{"t", "b", "f", "tb"}, x.Name) && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, s.Sel.Name):
			found = append(found, "it skips a test: make what it needs, or fail")
		case x.Name == "testing" && s.Sel.Name == "Short":
			found = append(found, "it leaves tests out with -short")
		case x.Name == "time" && s.Sel.Name == "Sleep":
			found = append(found, "it sleeps: poll a condition with a deadline, or use testing/synctest")
		}
		return true
	})
	for _, group := range file.Comments {
		for _, c := range group.List {
			if !constraint.IsGoBuild(c.Text) {
				continue
			}
			expr, err := constraint.Parse(c.Text)
			if err != nil {
				found = append(found, err.Error())
				continue
			}
			expr.Eval(func(tag string) bool {
				if !slices.Contains(tags, tag) {
					found = append(found, "the build tag "+tag+" hides it from make test-all")
				}
				return true
			})
		}
	}
	return found
}

// TestSources reads every Go file of the module, except other modules.
func TestSources(t *testing.T) {
	t.Parallel()
	top := root(t)
	commented := map[string]bool{} // by folder, whether some file has a package comment
	for _, start := range []string{"api", "cmd", "internal", "test"} {
		err := filepath.WalkDir(filepath.Join(top, start), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return filepath.SkipDir
			case d.IsDir():
				if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
					return filepath.SkipDir
				}
				return nil
			case filepath.Ext(path) != ".go":
				return nil
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(top, path)
			if err != nil {
				return err
			}
			found, file := faults(filepath.ToSlash(name), src)
			for _, f := range found {
				t.Errorf("%s: %s", name, f)
			}
			if file != nil {
				folder := filepath.Dir(name)
				// Generated code need not have one; sqlc, for instance, writes none.
				commented[folder] = commented[folder] || ast.IsGenerated(file) || strings.HasPrefix(file.Doc.Text(), "Package ") ||
					strings.HasPrefix(file.Doc.Text(), "Command ")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(commented) < 10 {
		t.Errorf("only %d packages seen: is this the right folder?", len(commented))
	}
	for folder, ok := range commented {
		if !ok {
			t.Errorf("%s: no file has a comment that begins with \"Package …\" (\"Command …\" for a program)", folder)
		}
	}
}
