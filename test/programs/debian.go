package programs

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// Debian returns the path of a program that a package of Debian has.
func Debian(name string) (path string, err error) {
	for _, folder := range []string{"", "/usr/sbin"} {
		if path, err = exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is missing: scripts/install-deps test-all installs it", name)
}
