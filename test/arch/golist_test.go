package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/keyward/keyward"

// listed is the output of `go list` for one package.
type listed struct {
	ImportPath string
	Imports    []string // direct, without those of test files
	Standard   bool
}

// own reports whether the package is of this module.
func (p listed) own() bool {
	return p.ImportPath == module || strings.HasPrefix(p.ImportPath, module+"/")
}

// path returns the import path inside the module: "internal/fault".
func (p listed) path() string { return inside(p.ImportPath) }

func inside(importPath string) string { return strings.TrimPrefix(importPath, module+"/") }

// root returns the top folder of the module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	// Opened, not only statted: this tells `go test` that the result depends on these
	// files; it cannot see what `go list` reads.
	for _, name := range []string{"go.mod", "go.sum"} {
		if _, err := os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// deps lists the packages and all their dependencies, as built for a platform
// ("linux/amd64"); empty means this machine's.
func deps(t *testing.T, platform string, packages ...string) []listed {
	t.Helper()
	args := append([]string{"list", "-deps", "-json=ImportPath,Imports,Standard", "--"}, packages...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if goos, goarch, ok := strings.Cut(platform, "/"); ok {
		cmd.Env = append(cmd.Env, "GOOS="+goos, "GOARCH="+goarch)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		t.Fatalf("go %s lists nothing", strings.Join(args, " "))
	}
	return all
}

// covers reports whether an import path is the prefix or below it.
func covers(prefix, path string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}
