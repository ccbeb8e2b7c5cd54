// Package alerts tries the alert rules that Keyward comes with.
package alerts

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
)

const rules = "../../deploy/prometheus/keyward.rules.yml"

// TestAlerts: promtool takes the rules, all are silent while all is well, and each fires for what it is
// for.
func TestAlerts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, file := range []string{rules, "alerts_test.yml"} {
		must.OK(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), must.Get(os.ReadFile(file))(t), 0o600))
	}
	for _, args := range [][]string{{"check", "rules", "keyward.rules.yml"}, {"test", "rules", "alerts_test.yml"}} {
		cmd := exec.CommandContext(t.Context(), "promtool", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// TestRunbooks: each alert is tried, and its link leads to what to do.
func TestRunbooks(t *testing.T) {
	t.Parallel()
	text, tries := string(must.Get(os.ReadFile(rules))(t)), string(must.Get(os.ReadFile("alerts_test.yml"))(t))
	runbooks := string(must.Get(os.ReadFile("../../docs/alerts.md"))(t))
	blocks := strings.Split(text, "- alert: ")[1:]
	if len(blocks) == 0 {
		t.Fatal("no alerts")
	}
	for _, block := range blocks {
		name, _, _ := strings.Cut(block, "\n")
		link := regexp.MustCompile(`runbook_url: \S+/docs/alerts\.md#(\S+)`).FindStringSubmatch(block)
		switch {
		case link == nil || link[1] != strings.ToLower(name):
			t.Errorf("%s has the link %v", name, link)
		case !strings.Contains(runbooks, "\n### "+name+"\n"):
			t.Errorf("docs/alerts.md has no heading %s", name)
		case !strings.Contains(tries, `alertname="`+name+`"`):
			t.Errorf("%s is never fired", name)
		}
	}
	if n := strings.Count(runbooks, "\n### Keyward"); n != len(blocks) {
		t.Errorf("docs/alerts.md has %d headings for %d alerts", n, len(blocks))
	}
}
