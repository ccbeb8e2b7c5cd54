package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/script"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"keyward-licensetool": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, nil)
}

// TestManPages: what is built with the tag man writes a page for each command, with its
// flags and its description as it is.
func TestManPages(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "run", "-tags", "man", ".", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	page := string(must.Get(os.ReadFile(filepath.Join(folder, "keyward-licensetool-issue.1")))(t))
	for _, want := range []string{"--expires", "\nSigns a license for one installation. The customer finds its ID on the page\nLicense."} {
		if !strings.Contains(strings.ReplaceAll(page, `\-`, "-"), want) {
			t.Errorf("the page of issue lacks %q:\n%s", want, page)
		}
	}
}
