package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// TestProgramsWithSecretsDumpNoMemory: server, license tool and agent first exclude
// their memory from core dumps.
func TestProgramsWithSecretsDumpNoMemory(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"keyward", "keyward-agent", "keyward-licensetool"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), "cmd", program, "main.go"), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !beginsWith(file, "hardening", "DisableCoreDumps") {
			t.Errorf("%s: main does not begin with hardening.DisableCoreDumps()", program)
		}
	}
}

// beginsWith reports whether the first statement of main calls pkg.name.
func beginsWith(file *ast.File, pkg, name string) (found bool) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Name.Name != "main" || len(f.Body.List) == 0 {
			continue
		}
		ast.Inspect(f.Body.List[0], func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == name {
				x, ok := s.X.(*ast.Ident)
				found = found || ok && x.Name == pkg
			}
			return true
		})
	}
	return found
}
