package arch

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const attacksHeading = "## Attacks, what stops them, and their tests"

// attackRows returns the rows of the table of attacks, with three cells each.
func attackRows(page string) ([][]string, error) {
	_, section, ok := strings.Cut(page, "\n"+attacksHeading+"\n")
	if !ok {
		return nil, fmt.Errorf("there is no heading %q", attacksHeading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var rows [][]string
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 3 {
			return nil, fmt.Errorf("%d cells, not 3: %s", len(cells), line)
		}
		rows = append(rows, cells)
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("no table stands below %q", attacksHeading)
	}
	return rows[2:], nil // the first is the head, the second its rule
}

var (
	inCode = regexp.MustCompile("`([^`]+)`")
	// goTest is folder.Name: a test, or a case of a suite.
	goTest = regexp.MustCompile(`^([a-z0-9/-]+)\.([A-Za-z]\w*)$`)
)

// missingTest reports what is wrong with a test named in the table: folder.Name of a Go
// function, or the file of a script or of the page's tests.
func missingTest(top, name string) error {
	if m := goTest.FindStringSubmatch(name); m != nil && strings.ContainsAny(m[2], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") {
		files, err := filepath.Glob(filepath.Join(top, m[1], "*.go"))
		if err != nil {
			return err
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if strings.Contains(string(src), "\nfunc "+m[2]+"(") {
				return nil
			}
		}
		return fmt.Errorf("no func %s in %s", m[2], m[1])
	}
	switch filepath.Ext(name) {
	case ".ts", ".tsx", ".mjs", ".txtar":
		_, err := os.Stat(filepath.Join(top, name))
		return err
	}
	return fmt.Errorf("%s is neither folder.TestName nor the file of a script or of the page's tests", name)
}

// TestAttacksHaveTheirTests: every test named in the table of docs/security.md exists,
// and every row names one.
func TestAttacksHaveTheirTests(t *testing.T) {
	t.Parallel()
	top := root(t)
	page, err := os.ReadFile(filepath.Join(top, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := attackRows(string(page))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		names := inCode.FindAllStringSubmatch(row[2], -1)
		if len(names) == 0 || strings.TrimSpace(row[0]) == "" || strings.TrimSpace(row[1]) == "" {
			t.Errorf("a row says not all of attack, what stops it, and its test: %s", strings.Join(row, " | "))
		}
		for _, name := range names {
			if err := missingTest(top, name[1]); err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(row[0]), err)
			}
		}
	}
}

// TestRotationsHaveTheirTests: docs/rotation.md names an existing test for each secret.
func TestRotationsHaveTheirTests(t *testing.T) {
	t.Parallel()
	top := root(t)
	page, err := os.ReadFile(filepath.Join(top, "docs", "rotation.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "|---|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := 0
	for row := range strings.Lines(table) {
		rows++
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), "|")
		names := inCode.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if len(cells) != 4 || len(names) == 0 {
			t.Errorf("no test is named: %s", row)
		}
		for _, name := range names {
			if err := missingTest(top, name[1]); err != nil {
				t.Errorf("%s: %v", strings.TrimSpace(cells[0]), err)
			}
		}
	}
	if rows < 10 {
		t.Errorf("docs/rotation.md has %d secrets", rows)
	}
}
