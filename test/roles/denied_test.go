package roles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDeniedAndNotFoundAuditedAlike: whoever asks for what lies outside their
// scope is on record with what they asked for, and whether it exists can be
// told neither from the answer nor from the entry.
func TestDeniedAndNotFoundAuditedAlike(t *testing.T) {
	t.Parallel()
	c := newCity(t)
	stranger := c.person("qz-b-user")
	absent := fields{"hwkey": "99999", "certificate": "0123456789abcdef", "user": "99999", "session": "99999", "organization": "99999",
		"webhook": "99999", "delivery": "99999", "api_key": "99999", "notice": "99999"}
	there := fields{"hwkey": stranger.serial, "certificate": stranger.cert, "user": fmt.Sprint(stranger.id),
		"session": fmt.Sprint(stranger.session), "organization": fmt.Sprint(c.orgs["b"]), "api_key": stranger.apiKey,
		"webhook": fmt.Sprint(stranger.hook.id), "delivery": fmt.Sprint(stranger.hook.delivery), "notice": fmt.Sprint(stranger.notice)}
	for _, try := range []struct{ who, kind, method, path string }{
		{"qz-a-user", "hwkey", "GET", "/api/hwkey/%s"},
		{"qz-a-user", "hwkey", "GET", "/api/hwkey/%s/secrets?reason=look"},
		{"qz-a-user", "certificate", "GET", "/api/certificates/%s"},
		{"qz-a-user", "session", "GET", "/api/session/%s"},
		{"qz-a-user", "notice", "POST", "/api/notices/%s/read"},
		{"qz-a-manager", "hwkey", "GET", "/api/hwkey/%s/rotations/1?reason=look"},
		{"qz-a-manager", "user", "GET", "/api/admin/users/%s"},
		{"qz-a-manager", "session", "DELETE", "/api/auth/sessions/%s"},
		{"qz-a-manager", "organization", "GET", "/api/admin/organizations/%s"},
		{"qz-a-manager", "organization", "GET", "/api/reports/compliance?organization_id=%s"},
		{"qz-a-manager", "webhook", "GET", "/api/admin/webhooks/%s"},
		{"qz-a-manager", "delivery", "POST", "/api/admin/webhooks/deliveries/%s/replay"},
		{"qz-a-manager", "api_key", "DELETE", "/api/admin/api-keys/%s"},
		{"qk-a-manager", "hwkey", "GET", "/api/hwkey/%s"},
	} {
		actor := c.person(try.who)
		entry := func(id any) map[string]any {
			t.Helper()
			path := fmt.Sprintf(try.path, id)
			if res := c.Call(t, try.method, path, actor.token, nil); res.Status != 404 {
				t.Errorf("%s %s: %d %s", try.method, path, res.Status, res.Raw)
			}
			e := c.newestDenial(t)
			if e["target_id"] != id || e["target_type"] != try.kind || e["outcome"] != "denied" {
				t.Errorf("%s %s: the newest entry is %v", try.method, path, e)
			}
			for _, name := range []string{"id", "at", "request_id", "target_id"} {
				delete(e, name)
			}
			return e
		}
		if diff := cmp.Diff(entry(there[try.kind]), entry(absent[try.kind])); diff != "" {
			t.Errorf("%s %s: the entries tell what exists (-there +absent):\n%s", try.method, try.path, diff)
		}
	}
	// What is no thing's name is on record as one short line.
	res := c.Call(t, "GET", "/api/admin/users/a%C2%85b"+strings.Repeat("9", 200), c.person("qz-a-user").token, nil)
	if got, want := c.newestDenial(t)["target_id"], "a?b"+strings.Repeat("9", 124); got != want {
		t.Errorf("on record as %q; the answer was %s", got, res.Raw)
	}
	// A change of many asks for each of them.
	chief, manager := c.person("qz-chief"), c.person("qz-a-manager")
	c.Must(t, "POST", "/api/hwkey/bulk", manager.token, fields{"serials": []string{stranger.serial}, "status": "lost"})
	if e := c.newestDenial(t); e["target_id"] != stranger.serial || e["actor"] != manager.name {
		t.Errorf("bulk: the newest entry is %v", e)
	}
	// To whoever reaches everything, it is just not there; and a role that does not reach is told so.
	before := c.newestDenial(t)["id"]
	c.Call(t, "GET", "/api/hwkey/99999", chief.token, nil)
	if after := c.newestDenial(t)["id"]; after != before {
		t.Error("a global admin was denied what is not there")
	}
	c.Call(t, "GET", "/api/admin/users/"+fmt.Sprint(stranger.id), c.person("qz-b-user").token, nil)
	if e := c.newestDenial(t); e["actor"] != "qz-b-user" || e["target_type"] != "user" || e["target_id"] != fmt.Sprint(stranger.id) {
		t.Errorf("by role: %v", e)
	}
}

func (c *city) newestDenial(t *testing.T) map[string]any {
	t.Helper()
	items := c.Must(t, "GET", "/api/admin/audit?limit=1&action=permission.denied", c.root().token, nil)["items"].([]any)
	if len(items) == 0 {
		return map[string]any{}
	}
	return items[0].(map[string]any)
}
