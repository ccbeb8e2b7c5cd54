package app_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/httpapi/apitest"
)

// send sends a body without its length, and returns the response's headers and text,
// too.
func (w *fixture) send(who, method, path, contentType, body string) (status int, header http.Header, text []byte) {
	w.t.Helper()
	req, err := http.NewRequest(method, w.base+path, struct{ io.Reader }{strings.NewReader(body)})
	if err != nil {
		w.t.Fatal(err)
	}
	if contentType == "" {
		req.Body = nil
	} else {
		req.Header.Set("Content-Type", contentType)
	}
	req.Header.Set("Authorization", "Bearer "+w.tokens[who])
	res, err := apitest.Client(w.t).Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if text, err = io.ReadAll(res.Body); err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, res.Header, text
}

// upload posts a body that is not JSON.
func (w *fixture) upload(who, path, contentType, body string) (int, map[string]any) {
	w.t.Helper()
	status, _, text := w.send(who, "POST", path, contentType, body)
	return status, object(w.t, text)
}

func object(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return out
}

func TestImportOverHTTP(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const file = "owner,serial,organization\r\na-user,50001,org a\r\n,50002,\r\nb-user,50003,\r\n"
	status, dry := w.upload("a-org_manager", "/api/hwkey/import?dry_run=true", "text/csv; charset=utf-8", file)
	if status != 200 || dry["created"] != 2.0 || dry["failed"] != 1.0 || dry["dry_run"] != true {
		t.Fatalf("dry run: %d %v", status, dry)
	}
	w.must(404, "GET", "/api/hwkey/50001", w.tokens["admin"], nil)
	status, done := w.upload("a-org_manager", "/api/hwkey/import", "text/csv", "\xef\xbb\xbf"+file)
	if status != 200 || done["created"] != 2.0 {
		t.Fatalf("import: %d %v", status, done)
	}
	dry["dry_run"] = false
	if d := cmp.Diff(dry, done); d != "" {
		t.Errorf("the dry run said otherwise: %s", d)
	}
	row := done["rows"].([]any)[2].(map[string]any)
	if row["line"] != 4.0 || row["result"] != "failed" || row["errors"].([]any)[0].(map[string]any)["field"] != "owner" {
		t.Errorf("row %v", row)
	}
	for _, serial := range []string{"50001", "50002"} {
		if key := w.must(200, "GET", "/api/hwkey/"+serial, w.tokens["a-org_manager"], nil); key["organization_id"] != w.ids["a"] {
			t.Errorf("%s is in %v", serial, key["organization_id"])
		}
	}
	w.must(404, "GET", "/api/hwkey/50002", w.tokens["b-org_manager"], nil)
	for _, c := range []struct {
		who, contentType, body string
		status                 int
		code                   string
	}{
		{"a-user", "text/csv", file, 403, "permission_denied"},
		{"a-org_manager", "application/json", `{}`, 415, "unsupported_media_type"},
		{"a-org_manager", "text/csv; charset=latin1", file, 415, "unsupported_media_type"},
		{"a-org_manager", "text/csv", "", 400, "invalid_request"},
		{"a-org_manager", "text/csv", "serial\towner\n", 400, "invalid_request"},
		{"a-org_manager", "text/csv", "serial,label\n1234,\xff\n", 400, "invalid_request"},
		{"a-org_manager", "text/csv", "serial\n" + strings.Repeat("x", 8<<20), 413, "body_too_large"},
	} {
		if status, out := w.upload(c.who, "/api/hwkey/import", c.contentType, c.body); status != c.status || out["code"] != c.code {
			t.Errorf("%s of %d bytes by %s: %d %v, want %d %s", c.contentType, len(c.body), c.who, status, out["code"], c.status, c.code)
		}
	}
}

func TestBulk(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	manager := w.tokens["a-org_manager"]
	bulk := func(status int, who string, body map[string]any) []string {
		t.Helper()
		out := w.must(status, "POST", "/api/hwkey/bulk", w.tokens[who], body)
		var lines []string
		results, _ := out["results"].([]any)
		for _, r := range results {
			m := r.(map[string]any)
			line := fmt.Sprint(m["serial"], " ", m["result"])
			if m["code"] != nil {
				line += fmt.Sprint(" ", m["code"])
			}
			lines = append(lines, line)
		}
		return lines
	}
	expect := func(what string, got []string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", what, d)
		}
	}
	all := []string{"10000", "10001", "99999", "10009", "10000"}
	expect("suspend", bulk(200, "a-org_manager", map[string]any{"serials": all, "status": "suspended"}),
		"10000 updated", "10001 failed not_found", "99999 failed not_found", "10009 failed conflict", "10000 failed invalid_request")
	expect("again", bulk(200, "a-org_manager", map[string]any{"serials": all[:1], "status": "suspended"}), "10000 unchanged")
	expect("assign", bulk(200, "a-org_manager", map[string]any{"serials": []string{"10009", "10000"}, "owner_id": w.ids["a-user"]}),
		"10009 updated", "10000 unchanged")
	expect("to another organization", bulk(200, "a-org_manager",
		map[string]any{"serials": []string{"10009"}, "organization_id": w.ids["b"]}), "10009 failed permission_denied")
	expect("of nobody", bulk(200, "admin", map[string]any{"serials": []string{"10001", "10009"}, "owner_id": nil}),
		"10001 updated", "10009 updated")
	expect("lost", bulk(200, "a-org_manager", map[string]any{"serials": []string{"10000"}, "status": "lost", "reason": " Stolen bag "}),
		"10000 updated")
	told := w.must(200, "GET", "/api/admin/audit?action=hwkey.status_changed&target=10000&limit=1", w.tokens["admin"], nil)["items"].([]any)
	if reason := told[0].(map[string]any)["reason"]; reason != "Stolen bag" {
		t.Errorf("the reason on record is %v", reason)
	}
	bulk(400, "admin", map[string]any{"serials": []string{"10000"}, "reason": "a reason changes nothing"})
	bulk(400, "admin", map[string]any{"serials": []string{"10000"}, "status": "lost", "reason": "two\nlines"})
	if status, _ := w.certificateStatus(); status != "revoked" {
		t.Errorf("the certificate of a lost token is %v", status)
	}
	key := w.must(200, "GET", "/api/hwkey/10000", manager, nil)
	if d := cmp.Diff([]any{"suspended", "retired"}, key["next_statuses"]); d != "" {
		t.Errorf("next statuses: %s", d)
	}
	bulk(403, "a-user", map[string]any{"serials": []string{"10000"}, "status": "lost"})
	bulk(400, "admin", map[string]any{"serials": []string{"10000"}})
	bulk(400, "admin", map[string]any{"serials": []string{}, "status": "lost"})
	bulk(400, "admin", map[string]any{"serials": make([]string, 1001), "status": "lost"})
	bulk(400, "admin", map[string]any{"serials": []string{"10000"}, "status": "broken"})
	denied := w.must(200, "GET", "/api/admin/audit?action=permission.denied&target=bulk-hwkeys", w.tokens["admin"], nil)["items"].([]any)
	if len(denied) != 1 { // the user
		t.Errorf("%d denials of all of it audited, want 1", len(denied))
	}
	denied = w.must(200, "GET", "/api/admin/audit?action=permission.denied&target=10009", w.tokens["admin"], nil)["items"].([]any)
	if len(denied) != 1 { // the manager's move to another organization
		t.Errorf("%d denials of a row audited, want 1", len(denied))
	}
}
