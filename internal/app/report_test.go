package app_test

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestComplianceReport: the report counts what was done over the API, for those who may
// see it.
func TestComplianceReport(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.released("a-user", "10000", "")
	w.released("a-org_manager", "10000", "&reason=forgotten")
	w.released("a-org_manager", "10009", "&reason=forgotten")
	w.must(201, "POST", "/api/hwkey/10000/rotations", w.tokens["a-org_manager"], map[string]any{"fields": []string{"pin"}, "reason": "=1+1"})
	w.must(409, "POST", "/api/hwkey/10000/rotations", w.tokens["a-org_manager"],
		map[string]any{"fields": []string{"pin"}, "reason": "refused"})
	w.must(200, "PATCH", "/api/hwkey/10009", w.tokens["admin"], map[string]any{"status": "retired"})
	w.must(201, "POST", "/api/hwkey", w.tokens["admin"], map[string]any{"serial": "10010", "firmware_version": "5.7.1"})

	report := func(status int, who, query string) map[string]any {
		t.Helper()
		return w.must(status, "GET", "/api/reports/compliance"+query, w.tokens[who], nil)
	}
	summary := func(o any) string {
		m := o.(map[string]any)
		count := func(section string) any { return m[section].(map[string]any)["count"] }
		s := m["tokens_by_status"].(map[string]any)
		r := m["releases"].(map[string]any)
		var reasons []string
		for _, reason := range r["by_reason"].([]any) {
			reasons = append(reasons, fmt.Sprint(reason.(map[string]any)["reason"], ":", reason.(map[string]any)["count"]))
		}
		return fmt.Sprint(m["organization_name"], " tokens ", m["tokens_total"], " assigned ", s["assigned"],
			" stock ", s["in_stock"], " retired ", s["retired"],
			" old ", count("secrets_older_than_limit"), " ending ", count("certificates_expiring"), " without ", count("users_without_token"),
			" releases ", r["total"], " ", reasons)
	}
	all := report(200, "admin", "?expiring_within_days=3650")["organizations"].([]any)
	if len(all) != 3 {
		t.Fatalf("%d organizations", len(all))
	}
	for i, want := range []string{
		"org a tokens 2 assigned 1 stock 0 retired 1 old 0 ending 1 without 1 releases 4 [forgotten:2 :1 =1+1:1]",
		"org b tokens 1 assigned 1 stock 0 retired 0 old 0 ending 0 without 1 releases 0 []",
		" tokens 1 assigned 0 stock 1 retired 0 old 0 ending 0 without 1 releases 0 []",
	} {
		if got := summary(all[i]); got != want {
			t.Errorf("organization %d:\n%s, want\n%s", i, got, want)
		}
	}
	for i, o := range all {
		weeks := o.(map[string]any)["certificates_expiring_by_week"].([]any)
		if len(weeks) != 26 {
			t.Fatalf("organization %d: %d weeks", i, len(weeks))
		}
		for n, week := range weeks { // the only certificate lasts for a year
			starts, err := time.Parse(time.DateOnly, week.(map[string]any)["week_start"].(string))
			if err != nil || starts.Weekday() != time.Monday || n == 0 && time.Since(starts) > 8*24*time.Hour ||
				fmt.Sprint(week.(map[string]any)["count"]) != "0" {
				t.Errorf("organization %d, week %d: %v", i, n, week)
			}
		}
	}
	mine := report(200, "b-org_manager", "")["organizations"].([]any)
	if len(mine) != 1 || !strings.HasPrefix(summary(mine[0]), "org b tokens 1 ") {
		t.Errorf("a manager's report: %v", mine)
	}
	report(404, "b-org_manager", fmt.Sprint("?organization_id=", w.ids["a"]))
	report(404, "admin", "?organization_id=99999")
	report(403, "a-user", "")
	report(400, "admin", "?secrets_older_than_days=0")
	report(400, "admin", "?format=xml")
	past := url.QueryEscape(time.Now().Add(-time.Hour).Format(time.RFC3339))
	report(400, "admin", "?from=2030-01-01T00:00:00Z")
	if o := report(200, "admin", "?to="+past)["organizations"].([]any)[0]; !strings.Contains(summary(o), "releases 0") {
		t.Errorf("releases before they happened: %s", summary(o))
	}

	status, header, text := w.send("a-org_manager", "GET", "/api/reports/compliance?format=csv", "", "")
	if status != 200 || !strings.HasPrefix(header.Get("Content-Type"), "text/csv") || header.Get("Cache-Control") != "no-store" {
		t.Fatalf("CSV: %d %v", status, header)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, r := range rows {
		found[strings.Join(r[:3], "/")] = r[3]
	}
	for key, want := range map[string]string{
		"organization/section/key": "value", "org a/tokens/total": "2", "org a/releases_by_reason/forgotten": "2",
		"org a/releases_by_reason/'=1+1": "1",
	} {
		if found[key] != want {
			t.Errorf("CSV %s: %q, want %q", key, found[key], want)
		}
	}
}
