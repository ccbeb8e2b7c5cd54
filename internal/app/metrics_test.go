package app_test

import (
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/httpapi/apitest"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestMetrics: promtool takes what a server tells, the alert rules and the dashboard find all that they ask
// for, and an idle server costs the monitoring little.
func TestMetrics(t *testing.T) {
	t.Parallel()
	w := newAsked(t)
	scrape := func() string {
		res := must.Get(apitest.Client(t).Get(w.meter))(t)
		defer func() { _ = res.Body.Close() }()
		return string(must.Get(io.ReadAll(res.Body))(t))
	}
	await.That(t, "the first look at all parts", func() bool { return strings.Contains(scrape(), "keyward_last_check_timestamp_seconds") })
	w.status(t, w.signed(t, "9a"))
	text := scrape()
	check := exec.CommandContext(t.Context(), "promtool", "check", "metrics")
	check.Stdin = strings.NewReader(text)
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
	series := slices.DeleteFunc(strings.Split(strings.TrimSpace(text), "\n"), func(l string) bool { return strings.HasPrefix(l, "#") })
	if len(series) > 500 {
		t.Errorf("%d series", len(series))
	}
	var used []string
	for _, file := range []string{"prometheus/keyward.rules.yml", "grafana/keyward.json"} {
		asks := string(must.Get(os.ReadFile("../../deploy/" + file))(t))
		used = append(used, regexp.MustCompile(`\b(keyward|process|go)_[a-z_]+`).FindAllString(asks, -1)...)
	}
	for _, name := range append(used, `keyward_build_info{goversion="go`, `keyward_component_up{component="vault"} 1`,
		`keyward_backlog_items{queue="mail"} 0`, `keyward_backlog_items{queue="webhooks"} 0`, `keyward_backlog_items{queue="audit_seal"}`,
		"keyward_backup_last_success_timestamp_seconds 0") {
		if !slices.ContainsFunc(series, func(l string) bool { return strings.HasPrefix(l, name) }) {
			t.Errorf("the server doesn't tell %s", name)
		}
	}
}
