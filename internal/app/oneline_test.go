package app_test

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/url"
	"testing"
)

// TestTypedTextIsOneLine: wherever text is typed, it is refused if it would break a log
// line, control a terminal or hide what follows.
func TestTypedTextIsOneLine(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	der, err := x509.MarshalPKIXPublicKey(&agentKey().PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	type m = map[string]any
	var list []refusal
	for _, text := range []string{"a\nb", "a\x1b[2Jb", "a\x7fb", "a\u0085b", "a\u009bb", "a\u2028b", "a\u202eb", "a\u2066b", "a\ufffdb"} {
		for _, r := range []refusal{
			{who: "admin", method: "POST", path: "/api/hwkey", body: m{"serial": "20001", "label": text}, field: "label"},
			{who: "admin", method: "POST", path: "/api/hwkey", body: m{"serial": "20001", "model": text}, field: "model"},
			{who: "admin", method: "PATCH", path: "/api/hwkey/10000", body: m{"form_factor": text}, field: "form_factor"},
			{who: "a-user", method: "GET", path: "/api/hwkey/10000/secrets?reason=" + url.QueryEscape(text), field: "reason"},
			{who: "a-user", method: "POST", path: "/api/hwkey/10000/rotations", body: m{"fields": []string{"pin"}, "reason": text}, field: "reason"},
			{who: "a-user", method: "POST", path: "/api/hwkey/10000/reset", body: m{"reason": text}, field: "reason"},
			{who: "admin", method: "POST", path: "/api/admin/organizations", body: m{"name": text}, field: "name"},
			{who: "admin", method: "POST", path: "/api/admin/api-keys", body: m{"name": text, "role": "global_admin"}, field: "name"},
			{
				who: "admin", method: "POST", path: "/api/admin/webhooks", body: m{"url": "https://example.org/", "description": text},
				field: "description",
			},
			{who: "admin", method: "PUT", path: "/api/admin/settings/oidc", body: m{"enabled": false, "name": text}, field: "name"},
			{
				method: "POST", path: "/api/auth/login", body: m{"username": "a-user", "password": usual, "machine_id": text},
				field: "machine_id",
			},
			{
				who: "a-user", method: "POST", path: fmt.Sprintf("/api/session/%d/register-agent", w.sessions["a-user"]),
				body: m{"public_key": key, "hostname": text}, field: "hostname",
			},
		} {
			r.status, r.code = 400, "invalid_request"
			list = append(list, r)
		}
	}
	w.refuses(list)
}
