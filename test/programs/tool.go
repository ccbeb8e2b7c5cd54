package programs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tool returns the path of a tool of scripts/tool, building it if necessary, which may
// take minutes.
func Tool(name string) (path string, err error) {
	root, err := os.Getwd()
	for ; err == nil; root = filepath.Dir(root) {
		if _, missing := os.Stat(filepath.Join(root, "scripts", "tool")); missing == nil {
			break
		}
		if root == filepath.Dir(root) {
			err = errors.New("no scripts/tool above the test's folder")
		}
	}
	if err != nil {
		return "", err
	}
	var complaint bytes.Buffer
	build := exec.Command(filepath.Join(root, "scripts", "tool"), "--path", name) // #nosec G204 -- ours
	build.Stderr = &complaint
	out, err := build.Output()
	if err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, complaint.String())
	}
	return strings.TrimSpace(string(out)), nil
}
