package app_test

import (
	"fmt"
	"strings"
	"testing"
)

const policyPath = "/api/admin/settings/password-policy"

// create creates an account and returns the status and the messages about its password.
func (s *server) create(token, name, pw string) (status int, out map[string]any, messages []string) {
	s.t.Helper()
	status, out = s.call("POST", "/api/admin/users", token, map[string]any{"username": name, "email": name + "@example.org", "password": pw})
	if errs, ok := out["errors"].([]any); ok {
		for _, e := range errs {
			field := e.(map[string]any)
			if field["field"] != "password" {
				s.t.Errorf("%s: field %v", name, field["field"])
			}
			messages = append(messages, fmt.Sprint(field["message"]))
		}
	}
	return status, out, messages
}

// TestPolicyAtRunTime: a change applies to the next request, and a refused one to none.
func TestPolicyAtRunTime(t *testing.T) {
	t.Parallel()
	s := start(t, testConfig(t, t.TempDir()))
	admin, _ := s.login("admin", adminPassword)
	initial := s.must(200, "GET", policyPath, admin, nil)
	for field, want := range map[string]any{
		"min_length": 8.0, "max_length": 128.0, "require_lowercase": false, "require_uppercase": false,
		"require_digit": false, "require_symbol": false,
		"reject_common": true, "change_at_first_sign_in": false, "max_age_days": 0.0, "lockout_attempts": 5.0, "lockout_minutes": 15.0,
	} {
		if initial[field] != want {
			t.Errorf("%s is %v at first, want %v", field, initial[field], want)
		}
	}
	for i, pw := range []string{"password123", "PassW0rd!", "plain-person"} {
		if status, out, _ := s.create(admin, "plain-person", pw); status != 422 || out["code"] != "password_policy" {
			t.Errorf("password %d: %d %v", i, status, out)
		}
	}

	s.must(200, "PUT", policyPath, admin,
		map[string]any{"min_length": 12, "require_digit": true, "require_symbol": true, "change_at_first_sign_in": true})
	status, out, messages := s.create(admin, "strict", "Quizzical")
	want := []string{"must have 12 to 128 characters", "must contain a digit", "must contain a symbol, punctuation mark or space"}
	if status != 422 || out["code"] != "password_policy" || strings.Join(messages, "\n") != strings.Join(want, "\n") {
		t.Errorf("%d %v %q", status, out["code"], messages)
	}
	if status, _, messages := s.create(admin, "strict", "Quizzical-owl 42"); status != 201 {
		t.Fatalf("a password that satisfies all: %d %q", status, messages)
	}
	login := map[string]any{"username": "strict", "password": "Quizzical-owl 42"}
	if out := s.must(403, "POST", "/api/auth/login", "", login); out["code"] != "password_expired" || out["access_token"] != nil {
		t.Errorf("first sign-in: %v", out)
	}
	change := map[string]any{"username": "strict", "current_password": "Quizzical-owl 42", "new_password": "Quizzical-owl"}
	s.must(422, "POST", "/api/auth/password", "", change)
	change["new_password"] = "Quizzical-owl 43"
	s.must(200, "POST", "/api/auth/password", "", change)
	s.login("strict", "Quizzical-owl 43")
	s.login("admin", adminPassword) // a password set under an earlier policy still signs in

	before := s.must(200, "GET", policyPath, admin, nil)
	for field, value := range map[string]any{
		"min_length": 7, "max_length": 129, "max_age_days": -1, "lockout_attempts": 0, "lockout_minutes": 1441,
		"reject_common": "yes", "hint": "x",
	} {
		if status, out := s.call("PUT", policyPath, admin, map[string]any{"require_digit": false, field: value}); status != 400 ||
			!names(out, field) {
			t.Errorf("%s: %d %v", field, status, out)
		}
	}
	if after := s.must(200, "GET", policyPath, admin, nil); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("a refused policy changed something: %v, before %v", after, before)
	}
	s.must(200, "PUT", policyPath, admin, map[string]any{"reject_common": false, "lockout_attempts": 2})
	if status, _, messages := s.create(admin, "lax", "password"); status != 201 { // an absent field has the default: no classes any more
		t.Errorf("common passwords are allowed: %d %q", status, messages)
	}
	s.lockoutOfTwo()
	s.policyAudited(admin)
}

// lockoutOfTwo: the policy's limit is the lockout's.
func (s *server) lockoutOfTwo() {
	s.t.Helper()
	wrong := map[string]any{"username": "lax", "password": "wrong"}
	s.must(401, "POST", "/api/auth/login", "", wrong)
	s.must(401, "POST", "/api/auth/login", "", wrong)
	s.must(429, "POST", "/api/auth/login", "", map[string]any{"username": "lax", "password": "password"})
}

func (s *server) policyAudited(admin string) {
	s.t.Helper()
	entries := s.must(200, "GET", "/api/admin/audit?action=settings.changed", admin, nil)["items"].([]any)
	var details []string
	for _, e := range entries {
		entry := e.(map[string]any)
		if entry["actor"] != "admin" || entry["target_id"] != "password_policy" {
			s.t.Errorf("entry %v", entry)
		}
		details = append(details, fmt.Sprint(entry["details"]))
	}
	want := []string{
		"min_length 12 to 8, require_digit true to false, require_symbol true to false, reject_common true to false, " +
			"change_at_first_sign_in true to false, lockout_attempts 5 to 2",
		"min_length 8 to 12, require_digit false to true, require_symbol false to true, change_at_first_sign_in false to true",
	}
	if strings.Join(details, "\n") != strings.Join(want, "\n") {
		s.t.Errorf("audited %q", details)
	}
}
