package app_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/test/await"
)

// ear is a receiver of webhooks on loopback.
type ear struct {
	*httptest.Server
	mu    sync.Mutex
	heard []heard
}

type heard struct {
	header http.Header
	raw    string
	body   map[string]any
}

func (e *ear) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	m := heard{header: r.Header.Clone(), raw: string(raw)}
	if err == nil {
		err = json.Unmarshal(raw, &m.body)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	e.heard = append(e.heard, m)
	w.WriteHeader(http.StatusOK)
}

// of returns the received messages of a type, oldest first.
func (e *ear) of(kind string) []heard {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []heard
	for _, m := range e.heard {
		if kind == "" || m.body["type"] == kind {
			out = append(out, m)
		}
	}
	return out
}

// newEar starts a receiver, and a fixture whose server may reach it.
func newEar(t *testing.T) (e *ear, w *fixture) {
	t.Helper()
	w = newFixtureWith(t, func(cfg *config.Config) { e = startEar(t, cfg) })
	return e, w
}

// startEar starts a receiver that a server with these settings may reach.
func startEar(t *testing.T, cfg *config.Config) *ear {
	t.Helper()
	e := &ear{}
	e.Server = httptest.NewUnstartedServer(e)
	e.Config.ErrorLog = log.New(io.Discard, "", 0)
	e.StartTLS()
	t.Cleanup(e.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: e.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.WebhookCAFile, cfg.WebhookAllowedNetworks = ca, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	return e
}

func signedBy(t *testing.T, m heard, secret string) bool {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 {
		t.Fatalf("a secret of %d bytes, %v", len(key), err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(m.header.Get("Webhook-Id") + "." + m.header.Get("Webhook-Timestamp") + "." + m.raw))
	return m.header.Get("Webhook-Signature") == "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// hook creates a webhook and returns its path and its secret.
func (w *fixture) hook(who string, body map[string]any) (path, secret string) {
	w.t.Helper()
	out := w.must(201, "POST", "/api/admin/webhooks", w.tokens[who], body)
	return fmt.Sprint("/api/admin/webhooks/", out["id"]), out["secret"].(string)
}

func (w *fixture) items(who, path string) []map[string]any {
	w.t.Helper()
	var out []map[string]any
	for _, one := range w.must(200, "GET", path, w.tokens[who], nil)["items"].([]any) {
		out = append(out, one.(map[string]any))
	}
	return out
}

func (w *fixture) label(who, serial, label string) {
	w.t.Helper()
	w.must(200, "PATCH", "/api/hwkey/"+serial, w.tokens[who], map[string]any{"label": label})
}

func TestWebhook(t *testing.T) {
	t.Parallel()
	e, w := newEar(t)
	path, secret := w.hook("a-org_manager",
		map[string]any{"url": e.URL + "/in?key=receivers-own-key", "description": " SIEM ", "actions": []string{"hwkey."}})
	shown := w.must(200, "GET", path, w.tokens["a-org_manager"], nil)
	by := map[string]any{"id": w.ids["a-org_manager"], "username": "a-org_manager"}
	if shown["organization_id"] != w.ids["a"] || shown["description"] != "SIEM" || shown["is_active"] != true ||
		!cmp.Equal(shown["created_by"], any(by)) {
		t.Errorf("webhook %v", shown)
	}
	if _, ok := shown["secret"]; ok || strings.Contains(fmt.Sprint(w.items("admin", "/api/admin/webhooks")), secret) {
		t.Error("the secret is shown again")
	}

	w.label("b-org_manager", "10001", "of b")
	w.label("a-org_manager", "10000", "of a")
	await.That(w.t, "a delivery", func() bool { return len(w.items("a-org_manager", path+"/deliveries?status=delivered")) == 1 })
	d := w.items("a-org_manager", path+"/deliveries")[0]
	got := e.of("")
	if len(got) != 1 || !signedBy(t, got[0], secret) || got[0].header.Get("Webhook-Id") != d["message_id"] {
		t.Fatalf("%d messages, the first signed %v", len(got), len(got) > 0 && signedBy(t, got[0], secret))
	}
	entry := w.items("a-org_manager", "/api/admin/audit?action=hwkey.updated")[0]
	for _, listed := range []string{"actor_name", "target_name"} { // today's, which only the list has
		delete(entry, listed)
	}
	if diff := cmp.Diff(map[string]any{"type": "hwkey.updated", "timestamp": entry["at"], "data": entry}, got[0].body); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	if d["audit_id"] != entry["id"] || d["attempts"] != 1.0 || d["last_status_code"] != 200.0 || d["last_error"] != "" {
		t.Errorf("delivery %v", d)
	}

	replay := fmt.Sprint("/api/admin/webhooks/deliveries/", d["id"], "/replay")
	if out := w.must(200, "POST", replay, w.tokens["a-org_manager"], nil); out["status"] != "pending" || out["attempts"] != 0.0 {
		t.Errorf("replayed: %v", out)
	}
	await.That(w.t, "the replay", func() bool { return len(e.of("")) == 2 })
	if again := e.of("")[1]; again.header.Get("Webhook-Id") != d["message_id"] || again.raw != got[0].raw || !signedBy(t, again, secret) {
		t.Error("the replayed message is another one")
	}

	second := w.must(200, "PATCH", path, w.tokens["a-org_manager"], map[string]any{"rotate_secret": true})["secret"].(string)
	if out := w.must(200, "PATCH", path, w.tokens["admin"], map[string]any{"actions": nil, "description": nil}); out["secret"] != nil ||
		len(out["actions"].([]any)) != 0 || out["description"] != "" {
		t.Errorf("changed: %v", out)
	}
	await.That(w.t, "its own change", func() bool { return len(e.of("webhook.updated")) == 1 })
	if m := e.of("webhook.updated")[0]; !signedBy(t, m, second) || signedBy(t, m, secret) {
		t.Error("the message is not signed with the new secret")
	}
	w.must(204, "DELETE", path, w.tokens["a-org_manager"], nil)
	w.must(404, "GET", path, w.tokens["admin"], nil)
	w.must(404, "GET", path+"/deliveries", w.tokens["a-org_manager"], nil)
	w.must(404, "POST", replay, w.tokens["a-org_manager"], nil)
	id := strings.TrimPrefix(path, "/api/admin/webhooks/")
	want := []string{
		"a-org_manager: " + id + " to " + e.Listener.Addr().String(), "admin: " + id + " description, all actions", "a-org_manager: " + id + " ",
		fmt.Sprint("a-org_manager: ", id, " delivery ",
			d["id"]), "a-org_manager: " + id + " to " + e.Listener.Addr().String() + ", actions hwkey.",
	}
	if diff := cmp.Diff(want, w.audited("a-org_manager", "webhook.")); diff != "" {
		t.Errorf("audited (-want +got):\n%s", diff)
	}
	// As base64 and as the bytes that it encodes.
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(second, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	w.noSecretLeft(strings.TrimPrefix(secret, "whsec_"), strings.TrimPrefix(second, "whsec_"), string(raw))
}

func TestWebhookRefusals(t *testing.T) {
	t.Parallel()
	e, w := newEar(t)
	ofA, _ := w.hook("a-org_manager", map[string]any{"url": e.URL})
	ofAll, _ := w.hook("admin", map[string]any{"url": e.URL})
	const base = "/api/admin/webhooks"
	list := []refusal{
		{"a-org_manager", "POST", base, map[string]any{"url": e.URL, "organization_id": w.ids["b"]}, 400, "invalid_request", "organization_id"},
		{"admin", "POST", base, map[string]any{"url": e.URL, "organization_id": 9999}, 400, "invalid_request", "organization_id"},
		{"admin", "POST", base, map[string]any{"url": e.URL, "actions": []string{"hwkey.", "HWKEY"}}, 400, "invalid_request", "actions[1]"},
		{"admin", "POST", base, map[string]any{"url": e.URL, "description": "a\nb"}, 400, "invalid_request", "description"},
		{"admin", "POST", base, map[string]any{"url": e.URL, "secret": "whsec_AAAA"}, 400, "invalid_request", "secret"},
		{"admin", "PATCH", ofAll, map[string]any{"organization_id": w.ids["a"]}, 400, "invalid_request", "organization_id"},
		{"admin", "PATCH", ofAll, map[string]any{"url": nil}, 400, "invalid_request", "url"},
		{"admin", "PATCH", ofAll, map[string]any{"url": "http://example.org"}, 400, "invalid_request", "url"},
		{"admin", "GET", ofAll + "/deliveries?status=broken", nil, 400, "invalid_request", "status"},
	}
	before := w.items("admin", base)
	w.refuses(list)
	if diff := cmp.Diff(before, w.items("admin", base)); diff != "" {
		t.Errorf("a refused request changed something (-before +after):\n%s", diff)
	}
	key, _ := w.apiKey("a-org_manager", map[string]any{"name": "k", "role": "org_manager"})
	w.must(200, "GET", ofA, key, nil)
	w.must(403, "PATCH", ofA, key, map[string]any{"rotate_secret": true})
	w.must(403, "POST", base, key, map[string]any{"url": e.URL})
}
