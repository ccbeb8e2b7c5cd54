package containers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/programs"
)

const top = "../../"

// run runs a program to its end, and returns what it wrote to standard output.
func run(cmd *exec.Cmd) (string, error) {
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(cmd.Args, " "), err, out.String(), errs.String())
	}
	return out.String(), nil
}

// tool is a command of scripts/tool.
func tool(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), must.Get(programs.Tool(name))(t), args...) // #nosec G204 -- the tests' own
	// Helm keeps repositories and plugins there.
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	return cmd
}

// documented returns the names in docs/configuration.md: of all settings, and of those that
// are secret.
func documented(t *testing.T) (all, secret []string) {
	t.Helper()
	text := string(must.Get(os.ReadFile(top + "docs/configuration.md"))(t))
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z0-9_]+)`(?: or `([A-Z0-9_]+)`)?").FindAllStringSubmatch(text, -1) {
		all = append(all, row[1])
		if row[2] != "" {
			all, secret = append(all, row[2]), append(secret, row[1])
		}
	}
	slices.Sort(secret)
	if len(all) < 50 || !slices.Contains(secret, "VAULT_TOKEN") {
		t.Fatalf("docs/configuration.md names %d settings, and as secret %v", len(all), secret)
	}
	return all, secret
}

// starts loads settings as the server does. Paths in a container are those of a folder here;
// an unknown name, or a secret that is not in a file, is an error.
func starts(t *testing.T, folder string, settings map[string]string) (config.Config, error) {
	t.Helper()
	all, secret := documented(t)
	here := map[string]string{}
	for name, value := range settings {
		if !slices.Contains(all, name) || slices.Contains(secret, name) {
			t.Errorf("%s is no setting, or a secret", name)
		}
		if strings.HasPrefix(value, "/") && name != "DATA" {
			value = filepath.Join(folder, value)
		}
		here[name] = value
	}
	cfg, err := config.LoadFor(config.Serve, nil, func(name string) string { return here[name] })
	var mistakes config.Mistakes
	if errors.As(err, &mistakes) {
		return cfg, mistakes
	}
	return cfg, err
}

// put writes the files that settings name into a folder.
func put(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		file := filepath.Join(folder, name)
		must.OK(t, os.MkdirAll(filepath.Dir(file), 0o700))
		must.OK(t, os.WriteFile(file, []byte(content), 0o600))
	}
}
