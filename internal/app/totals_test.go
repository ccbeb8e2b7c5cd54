package app_test

import (
	"testing"
)

// TestTotals: every list tells how many rows it has (contract, "Lists"): on a
// last page its own length, on others as many as a walk finds.
func TestTotals(t *testing.T) {
	w := newTown(t)
	for _, path := range []string{
		"/api/hwkey", "/api/hwkey/10000/certificates", "/api/certificates", "/api/admin/users", "/api/admin/organizations",
		"/api/admin/audit", "/api/admin/api-keys", "/api/admin/webhooks", "/api/auth/sessions", "/api/notices",
	} {
		all := w.must(200, "GET", path+"?limit=500", w.tokens["admin"], nil)
		walked, query := 0, "?limit=1"
		for {
			p := w.must(200, "GET", path+query, w.tokens["admin"], nil)
			walked += len(p["items"].([]any))
			// The log grows by who reads it; so the walk is held to its own first page.
			if path != "/api/admin/audit" && (p["total"] != all["total"] || p["total_is_exact"] != true) {
				t.Errorf("%s: total %v, exactly: %v; want %v", path+query, p["total"], p["total_is_exact"], all["total"])
			}
			next, _ := p["next_cursor"].(string)
			if next == "" {
				break
			}
			query = "?limit=1&cursor=" + next
		}
		if got, _ := all["total"].(float64); int(got) != len(all["items"].([]any)) || path != "/api/admin/audit" && int(got) != walked {
			t.Errorf("%s: a total of %v, %d rows, %d walked", path, all["total"], len(all["items"].([]any)), walked)
		}
	}
}
