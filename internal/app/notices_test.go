package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/httpapi/apitest"
	"github.com/keyward/keyward/test/must"
)

// TestTelling: a person chooses what is mailed, reads notices in their own language,
// and sees in a token's history what others did.
func TestTelling(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	own := w.must(200, "GET", "/api/auth/notifications", w.tokens["a-user"], nil)
	if own["language"] != "" || own["available"] != false || strings.Contains(fmt.Sprint(own["kinds"]), "backup_failed") {
		t.Errorf("at first: %v", own)
	}
	all := w.must(200, "GET", "/api/auth/notifications", w.tokens["admin"], nil)
	if !strings.Contains(fmt.Sprint(all["kinds"]), "backup_failed") {
		t.Errorf("an administrator's: %v", all)
	}
	for _, bad := range []fields{
		{"language": "fr", "mail": fields{}}, {"mail": fields{"token_reset": false}}, {"mail": fields{"no_such": true}},
	} {
		w.refused(400, "invalid_request", "PUT", "/api/auth/notifications", w.tokens["a-user"], bad)
	}
	own = w.must(200, "PUT", "/api/auth/notifications", w.tokens["a-user"], fields{"language": "de", "mail": fields{"token_assigned": false}})
	if own["language"] != "de" || !strings.Contains(fmt.Sprint(own["kinds"]), "choice:on kind:token_assigned mail:false") {
		t.Errorf("chosen: %v", own)
	}
	// Choices are independent: a language, or another kind, resets none of the earlier
	// ones.
	w.must(200, "PUT", "/api/auth/notifications", w.tokens["a-user"], fields{"mail": fields{"certificate_ended": false}})
	w.must(200, "PUT", "/api/auth/notifications", w.tokens["a-user"], fields{"language": "en"})
	own = w.must(200, "PUT", "/api/auth/notifications", w.tokens["a-user"], fields{"language": "de"})
	if got := fmt.Sprintf("%v %v", own["language"], own["mail"]); got != "de map[certificate_ended:false token_assigned:false]" {
		t.Errorf("chosen one after the other: %v", got)
	}

	w.must(200, "POST", "/api/hwkey/10000/reset", w.tokens["a-org_manager"], fields{"reason": "Ersatz"})
	const german = "hat Ihren Token 10000 zurückgesetzt"
	for header, want := range map[string]string{
		"": german, "fr": german, "en-GB,de;q=0.5": "reset your token 10000", "de-AT": german, ";;nonsense;;": german,
	} {
		notices := fmt.Sprint(w.in(header, "/api/notices", w.tokens["a-user"]))
		if !strings.Contains(notices, want) || !strings.Contains(notices, "path:/tokens/10000") {
			t.Errorf("to a reader of %q: %s", header, notices)
		}
	}

	history := fmt.Sprint(w.must(200, "GET", "/api/hwkey/10000/history", w.tokens["a-user"], nil)["items"])
	for _, want := range []string{"action:hwkey.reset actor:a-org_manager", "action:hwkey.registered", "reason:Ersatz"} {
		if !strings.Contains(history, want) {
			t.Errorf("the history lacks %q: %s", want, history)
		}
	}
	for line := range strings.SplitSeq(history, "map[") {
		if strings.Contains(line, "actor:a-org_manager") && strings.Contains(line, "127.0.0.1") {
			t.Errorf("the owner sees from where somebody else acted: %s", line)
		}
	}
	w.refused(404, "not_found", "GET", "/api/hwkey/10000/history", w.tokens["b-user"], nil)

	w.must(200, "POST", w.userPath("a-user")+"/reset-password", w.tokens["a-org_manager"], fields{"password": "chosen by a manager"})
	w.must(200, "POST", "/api/auth/password", "", fields{
		"username": "a-user", "current_password": "chosen by a manager", "new_password": "one of my own"})
	w.signIn("a-user", "one of my own")
	notices := fmt.Sprint(w.must(200, "GET", "/api/notices?limit=2", w.tokens["a-user"], nil)["items"])
	if !strings.Contains(notices, "kind:password_changed") || !strings.Contains(notices, "kind:password_reset") {
		t.Errorf("of the password: %s", notices)
	}
	w.must(200, "PATCH", w.userPath("a-user"), w.tokens["a-org_manager"], fields{"email": "moved@example.org"})
	notices = fmt.Sprint(w.must(200, "GET", "/api/notices?limit=1", w.tokens["a-user"], nil)["items"])
	if !strings.Contains(notices, "kind:email_changed") || !strings.Contains(notices, "Bisher war sie a-user@example.org.") {
		t.Errorf("of the address: %s", notices)
	}
}

// in is a GET by somebody whose browser prefers that language.
func (w *fixture) in(language, path, token string) any {
	w.t.Helper()
	req := must.Get(http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.base+path, http.NoBody))(w.t)
	req.Header.Set("Authorization", "Bearer "+token)
	if language != "" {
		req.Header.Set("Accept-Language", language)
	}
	res := must.Get(apitest.Client(w.t).Do(req))(w.t)
	defer func() { _ = res.Body.Close() }()
	var out map[string]any
	must.OK(w.t, json.NewDecoder(res.Body).Decode(&out))
	return out["items"]
}
