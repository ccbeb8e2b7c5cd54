package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// importPeople uploads a file as somebody, and returns the status, the counts (created,
// unchanged, failed, left) and the messages about each line.
func (w *fixture) importPeople(who, query, file string) (int, string, []string) {
	w.t.Helper()
	status, out := w.upload(who, "/api/admin/users/import"+query, "text/csv", file)
	if status != 200 {
		return status, fmt.Sprint(out["code"]), nil
	}
	var rows []string
	for _, r := range out["rows"].([]any) {
		row := r.(map[string]any)
		line := fmt.Sprint(row["line"], " ", row["username"], " ", row["result"])
		for _, e := range row["errors"].([]any) {
			line += fmt.Sprint(" ", e.(map[string]any)["field"], ":", e.(map[string]any)["code"])
		}
		rows = append(rows, line)
	}
	return status, fmt.Sprint(out["created"], out["unchanged"], out["failed"], out["left"]), rows
}

const germanPeople = "\xef\xbb\xbfusername;name;email;role;organization\r\n" +
	"jb;Jörg Bauer;jb@example.org;;\r\n;\"Zoë; Adams\";zoe@example.org;user;ORG A\r\nmb;;mb@example.org;org_manager;org a\r\n"

// TestImportPeople: a file from a German Excel is previewed, imported in parts, and
// sent again.
func TestImportPeople(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const manager = "a-org_manager"
	for _, step := range []struct {
		query, figures string
		rows           []string
	}{
		{"?dry_run=true", "3 0 0 0", []string{"2 jb created", "3 zoe@example.org created", "4 mb created"}},
		{"?limit=1", "1 0 0 2", []string{"2 jb created", "3 zoe@example.org left", "4 mb left"}},
		{"?limit=1&invite=true", "1 1 0 1", []string{"2 jb unchanged", "3 zoe@example.org created", "4 mb left"}},
		{"", "1 2 0 0", []string{"2 jb unchanged", "3 zoe@example.org unchanged", "4 mb created"}},
		{"", "0 3 0 0", []string{"2 jb unchanged", "3 zoe@example.org unchanged", "4 mb unchanged"}},
	} {
		status, figures, rows := w.importPeople(manager, step.query, germanPeople)
		if status != 200 || figures != step.figures {
			t.Errorf("%s: %d %s, want %s", step.query, status, figures, step.figures)
		}
		if diff := cmp.Diff(step.rows, rows); diff != "" {
			t.Errorf("%s: %s", step.query, diff)
		}
	}
	_, seen := w.upload(manager, "/api/admin/users/import?dry_run=true", "text/csv", germanPeople)
	if row := seen["rows"].([]any)[1].(map[string]any); row["name"] != "Zo\u00eb; Adams" || row["email"] != "zoe@example.org" ||
		row["role"] != "user" || row["organization"] != "org a" {
		t.Errorf("shown before it is made as %v", row)
	}
	items := w.must(200, "GET", "/api/admin/users?q=adams", w.tokens[manager], nil)["items"].([]any)
	if len(items) != 1 {
		t.Fatalf("found %v", items)
	}
	u := items[0].(map[string]any)
	if u["name"] != "Zo\u00eb; Adams" || u["organization_name"] != "org a" || u["role"] != "user" || u["waiting"] != true {
		t.Errorf("made as %v", u)
	}
	for action, want := range map[string]int{"user.created": 3, "user.invited": 1} {
		entries := w.must(200, "GET", "/api/admin/audit?action="+action, w.tokens[manager], nil)["items"].([]any)
		if n := strings.Count(fmt.Sprint(entries), "actor:"+manager); n != want {
			t.Errorf("%s: %d entries, want %d", action, n, want)
		}
	}
	_, out := w.upload(manager, "/api/admin/users/import?invite=true", "text/csv", "email\nlink@example.org\n")
	url, _ := out["rows"].([]any)[0].(map[string]any)["invitation_url"].(string)
	_, token, found := strings.Cut(url, "/invitation#token=")
	if !found {
		t.Fatalf("no link: %v", out)
	}
	w.must(200, "POST", "/api/auth/invitation", "", fields{"token": token, "password": usual})
	w.login("link@example.org", usual)
}

// TestImportPeopleRefused: each row reports all its errors, with their columns.
func TestImportPeopleRefused(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.must(200, "PATCH", w.organizationPath("a"), w.tokens["admin"], fields{"email_domains": []string{"example.org"}})
	before := w.state()
	status, figures, rows := w.importPeople("a-org_manager", "?dry_run=true", `username,email,role,organization
fine,fine@example.org,,
a b,no email,king,org c
,other@example.com,,
boss,boss@example.org,global_admin,
mine,mine@example.org,,org b
Fine,twice@example.org,,
a-user,new@example.org,,
b-user,b-user@example.org,,
a-user,a-user@example.org,org_manager,
short
x,x@example.org,,,more
`)
	want := []string{
		"2 fine created", "3 a b failed role:not_one_of email:bad_email username:bad_username organization:unknown_organization",
		"4 other@example.com failed email:email_outside_domains",
		"5 boss failed role:global_admin_needed", "6 mine failed organization:unknown_organization", "7 Fine failed username:repeated",
		"8 a-user failed username:of_another", "9 b-user failed username:of_another email:of_another",
		"10 a-user failed username:repeated", "11 short failed email:bad_email", "12 x failed row:cells",
	}
	if status != 200 {
		t.Errorf("%d %s", status, figures)
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		who, query, file string
		status           int
		code             string
	}{
		{"a-user", "", germanPeople, 403, "permission_denied"},
		{"a-org_manager", "", "username\nx\n", 400, "invalid_request"},
		{"a-org_manager", "", "", 400, "invalid_request"},
		{"a-org_manager", "?limit=-1", germanPeople, 400, "invalid_request"},
		{"a-org_manager", "", "email\n" + strings.Repeat("x@example.org\n", 5001), 400, "invalid_request"},
	} {
		if status, code, _ := w.importPeople(c.who, c.query, c.file); status != c.status || code != c.code {
			t.Errorf("%s %s: %d %s, want %d %s", c.who, c.query, status, code, c.status, c.code)
		}
	}
	if diff := cmp.Diff(before, w.state()); diff != "" {
		t.Errorf("a refused import changed something (-before +after):\n%s", diff)
	}
	status, figures, rows = w.importPeople("a-org_manager", "", "email;role\r\ngood@example.org\r\nbad;king\r\nbetter@example.org;user\r\n")
	want = []string{"2 good@example.org created", "3 bad failed role:not_one_of email:bad_email", "4 better@example.org created"}
	if status != 200 ||
		figures != "2 0 1 0" || !cmp.Equal(want, rows) {
		t.Errorf("bad lines among good: %d %s %v", status, figures, rows)
	}
	key, _ := w.apiKey("admin", fields{"name": "hr", "role": "global_admin"})
	w.tokens["key"] = key
	if status, code, _ := w.importPeople("key", "?invite=true", "email\nx@example.org\n"); status != 403 || code != "permission_denied" {
		t.Errorf("a key invites: %d %s", status, code)
	}
	if _, figures, rows := w.importPeople("key", "", "email,role\nx@example.org,org_manager\n"); figures != "0 0 1 0" {
		t.Errorf("a key gives a role: %v", rows)
	}
	if _, figures, rows := w.importPeople("key", "", "email,organization\nx@example.org,org a\n"); figures != "1 0 0 0" {
		t.Errorf("a key imports: %v", rows)
	}
}
