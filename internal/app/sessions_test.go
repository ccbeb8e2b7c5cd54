package app_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// sessionsOf lists the sessions that somebody sees, in pages of two.
func (w *town) sessionsOf(who, query string) (all []map[string]any) {
	w.t.Helper()
	for cursor := ""; ; {
		p := w.must(200, "GET", "/api/auth/sessions?limit=2&cursor="+url.QueryEscape(cursor)+query, w.tokens[who], nil)
		for _, item := range p["items"].([]any) {
			all = append(all, item.(map[string]any))
		}
		if p["next_cursor"] == nil {
			return all
		}
		cursor = p["next_cursor"].(string)
	}
}

func sessionPath(id any) string { return fmt.Sprint("/api/auth/sessions/", id) }

// TestEndSession: what was signed in with it is over at once.
func TestEndSession(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	login := func() map[string]any { return w.must(200, "POST", "/api/auth/login", "", credentials("a-user", usual)) }
	lost, other := login(), login()
	for range 2 { // the second time it is over already
		w.must(204, "DELETE", sessionPath(lost["session_id"]), w.tokens["a-user"], nil)
	}
	w.refused(401, "session_not_found", "GET", "/api/auth/me", lost["access_token"].(string), nil)
	w.refused(401, "token_invalid", "POST", "/api/auth/refresh", "", fields{"refresh_token": lost["refresh_token"]})
	w.must(200, "GET", "/api/auth/me", w.tokens["a-user"], nil)
	w.must(200, "POST", "/api/auth/refresh", "", fields{"refresh_token": other["refresh_token"]})

	// A manager ends the one with the agent: the key goes with it.
	w.must(204, "DELETE", sessionPath(w.sessions["a-user"]), w.tokens["a-org_manager"], nil)
	w.refused(401, "session_not_found", "GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)
	for _, s := range w.sessionsOf("a-org_manager", fmt.Sprint("&user_id=", w.ids["a-user"])) {
		ended := s["id"] == lost["session_id"] || s["id"] == float64(w.sessions["a-user"])
		if s["active"] == ended || ended && (s["agent_registered"] != false || s["agent_key_fingerprint"] != nil) {
			t.Errorf("session %v: %v", s["id"], s)
		}
	}
	got := w.audited("a-org_manager", "session.ended")
	if len(got) != 2 || !strings.HasPrefix(got[0], "a-org_manager: ") || !strings.HasPrefix(got[1], "a-user: ") {
		t.Errorf("session.ended: %q", got)
	}

	// One that has expired is known for a day, and no error.
	w.execute("UPDATE sessions SET expires_at = created_at + 1, over_at = created_at + 1 WHERE id = ?", other["session_id"])
	w.refused(401, "session_not_found", "GET", "/api/auth/me", other["access_token"].(string), nil) // it has its full time
	w.must(204, "DELETE", sessionPath(other["session_id"]), w.tokens["a-org_manager"], nil)
	w.refused(404, "not_found", "DELETE", sessionPath(other["session_id"]), w.tokens["b-org_manager"], nil)

	// The present one can be ended, too.
	w.must(204, "DELETE", sessionPath(w.sessions["b-user"]), w.tokens["b-user"], nil)
	w.refused(401, "session_not_found", "GET", "/api/auth/me", w.tokens["b-user"], nil)
}
