package app_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/keyward/keyward/internal/httpapi/apitest"
)

// text gets a response that is not JSON.
func (s *server) text(path, token string) (*http.Response, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.base+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := apitest.Client(s.t).Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res, string(raw)
}

func (s *server) listed(query, token string) []any {
	s.t.Helper()
	return s.must(200, "GET", "/api/admin/audit?limit=500"+query, token, nil)["items"].([]any)
}

// exported gets an NDJSON export, entry by entry.
func (s *server) exported(query, token string) []any {
	s.t.Helper()
	res, body := s.text("/api/admin/audit/export?format=ndjson"+query, token)
	if res.StatusCode != http.StatusOK {
		s.t.Fatalf("export: %d %s", res.StatusCode, body)
	}
	var out []any
	for lines := bufio.NewScanner(strings.NewReader(body)); lines.Scan(); {
		var e any
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			s.t.Fatalf("%v in %s", err, lines.Text())
		}
		out = append(out, e)
	}
	return out
}

// TestExportIsTheList: an export holds what the list's pages show, with each role's
// scope, each filter, and its own entry as the newest.
func TestExportIsTheList(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	first := w.listed("", w.tokens["admin"])
	middle := first[len(first)/2].(map[string]any)["at"].(string)
	for _, who := range []string{"admin", "a-org_manager", "b-org_manager", "a-user", "b-user"} {
		for _, query := range []string{
			"", "&action=hwkey.", "&action=auth.", "&outcome=success", "&outcome=denied", "&actor=ADMIN", "&target=10000",
			"&organization_id=" + fmt.Sprint(w.ids["a"]), "&from=" + middle, "&to=" + middle, "&from=" + middle + "&action=session.",
			"&action=none.",
		} {
			before := w.listed(query, w.tokens[who])
			got := w.exported(query, w.tokens[who])
			if len(got) > 0 && got[0].(map[string]any)["action"] == "audit.exported" && got[0].(map[string]any)["actor"] == who {
				got = got[1:] // its own
			}
			before = slices.DeleteFunc(before, func(e any) bool { return e.(map[string]any)["action"] == "audit.exported" })
			got = slices.DeleteFunc(got, func(e any) bool { return e.(map[string]any)["action"] == "audit.exported" })
			for _, e := range before { // today's names are no part of an entry
				delete(e.(map[string]any), "actor_name")
				delete(e.(map[string]any), "target_name")
			}
			if d := cmp.Diff(before, got, cmpopts.EquateEmpty()); d != "" {
				t.Errorf("%s %s (-list +export):\n%s", who, query, d)
			}
		}
	}
	newest := w.listed("&action=audit.exported", w.tokens["admin"])[0].(map[string]any)
	if newest["actor"] != "b-user" || newest["details"] != `format=ndjson action="none."` || newest["outcome"] != "success" || newest["target_type"] != "audit" {
		t.Errorf("the export's own entry: %v", newest)
	}
}

// TestAuditFile: after an orderly stop the file holds every entry, as the export shows
// it; the next start adds only new ones.
func TestAuditFile(t *testing.T) {
	t.Parallel()
	cfg := testConfig(t, t.TempDir())
	cfg.AuditFile = filepath.Join(t.TempDir(), "audit.log")
	for range 2 {
		s := start(t, cfg)
		admin, _ := s.login("admin", adminPassword)
		s.must(200, "POST", "/api/auth/logout", admin, nil)
		if err := s.stop(); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(cfg.AuditFile)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, cfg)
	admin, _ := s.login("admin", adminPassword)
	_, export := s.text("/api/admin/audit/export?format=ndjson", admin)
	lines := strings.Split(strings.TrimSpace(export), "\n")
	slices.Reverse(lines) // the file is oldest first
	if all := strings.Join(lines, "\n") + "\n"; !strings.HasPrefix(all, string(raw)) || strings.Count(string(raw), "auth.logout") != 2 {
		t.Errorf("file:\n%s\nexport:\n%s", raw, all)
	}
}
