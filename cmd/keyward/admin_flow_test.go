package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdminBesideTheServer: all three commands while the server runs.
func TestAdminBesideTheServer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	first := p.login("admin", veryFirst, "")

	made := p.must("", "create-admin", "--username", "rescue", "--email", "rescue@example.org")
	if len(made) != 24 {
		t.Fatalf("the password has %d characters", len(made))
	}
	p.login("rescue", made, "password_expired")
	p.change("rescue", made, "the rescuer's own one")
	rescue := p.login("rescue", "the rescuer's own one", "")
	if _, me := p.get("/api/auth/me", rescue); me["role"] != "global_admin" || me["organization_id"] != nil {
		t.Errorf("made %v", me)
	}
	audited(t, p.entries(rescue, "user.created"), "create-admin")

	reset := p.must("", "reset-password", "--username", "ADMIN@localhost")
	if status, out := p.get("/api/auth/me", first); status != http.StatusUnauthorized || out["code"] != "session_not_found" {
		t.Errorf("a session outlived the reset: %d %v", status, out)
	}
	p.login("admin", veryFirst, "invalid_credentials")
	p.login("admin", reset, "password_expired")
	audited(t, p.entries(rescue, "user.password_reset"), "reset-password")
	audited(t, p.entries(rescue, "session.ended"), "reset-password")

	p.change("admin", reset, "another good password")
	for range 5 {
		p.login("admin", "guessed", "invalid_credentials")
	}
	p.login("admin", "another good password", "account_locked")
	if said := p.must("", "unlock", "--username", "admin"); said != "admin is unlocked." {
		t.Errorf("said %q", said)
	}
	p.login("admin", "another good password", "")
	audited(t, p.entries(rescue, "user.unlocked"), "unlock")
	p.nowhere(made, reset, "the rescuer's own one")
}

// TestAdminWithGivenPasswords: from standard input, held to the policy, never
// repeated.
func TestAdminWithGivenPasswords(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	create := []string{"create-admin", "--username", "second", "--email", "second@example.org", "--password-stdin"}
	for _, bad := range []string{"short\n", "second@example.org\n"} {
		code, stdout, stderr := p.admin(bad, create...)
		if code != 1 || stdout != "" || !strings.Contains(stderr, "the password must") || strings.Contains(stderr, "second@") {
			t.Errorf("%q: %d %q %q", bad, code, stdout, stderr)
		}
	}
	if said := p.must("a chosen password\nand more\n", create...); strings.Contains(said, "chosen") {
		t.Errorf("said %q", said)
	}
	p.login("second", "a chosen password", "password_expired")
	if said := p.must("chosen once more", "reset-password", "--username", "second", "--password-stdin"); strings.Contains(said, "chosen") {
		t.Errorf("said %q", said)
	}
	p.login("second", "a chosen password", "invalid_credentials")
	p.login("second", "chosen once more", "password_expired")
	p.nowhere("a chosen password", "chosen once more")
}

// TestAdminActivates: a reset alone leaves a disabled account disabled, and
// says so.
func TestAdminActivates(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.execute("UPDATE users SET is_active = FALSE WHERE username = 'admin'")
	code, stdout, stderr := p.admin("", "reset-password", "--username", "admin")
	if code != 0 || !strings.Contains(stderr, "--activate") {
		t.Fatalf("%d %s", code, stderr)
	}
	p.login("admin", strings.TrimSpace(stdout), "account_disabled")
	code, stdout, stderr = p.admin("", "reset-password", "--username", "admin", "--activate")
	if code != 0 || strings.Contains(stderr, "disabled") {
		t.Fatalf("%d %s", code, stderr)
	}
	reset := strings.TrimSpace(stdout)
	p.login("admin", reset, "password_expired")
	p.change("admin", reset, "a good new password")
	token := p.login("admin", "a good new password", "")
	audited(t, p.entries(token, "user.enabled"), "reset-password")
}

// TestAdminPastSingleSignOn: nobody but global admins may use a password, and
// the provider is away.
func TestAdminPastSingleSignOn(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.execute(`INSERT INTO settings (name, value, updated_at) VALUES ('oidc',
		'{"enabled":true,"issuer":"https://idp.invalid","client_id":"x","local_login":false}', 1)`)
	reset := p.must("", "reset-password", "--username", "admin")
	p.change("admin", reset, "a good new password")
	p.login("admin", "a good new password", "")

	p.execute("UPDATE users SET auth_source = 'oidc' WHERE username = 'admin'")
	code, stdout, stderr := p.admin("", "reset-password", "--username", "admin")
	if code != 1 || stdout != "" || !strings.Contains(stderr, "keyward admin create-admin") {
		t.Fatalf("%d %q %q", code, stdout, stderr)
	}
	made := p.must("", "create-admin", "--username", "way-in", "--email", "way-in@example.org")
	p.change("way-in", made, "a good new password")
	p.login("way-in", "a good new password", "")
}

// TestAdminWithoutTheServer: on a data directory at rest, whose vault has no
// key even.
func TestAdminWithoutTheServer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.stop()
	key := filepath.Join(p.data, "seal.key")
	if err := os.Rename(key, key+".away"); err != nil {
		t.Fatal(err)
	}
	reset := p.must("", "reset-password", "--username", "admin")
	made := p.must("", "create-admin", "--username", "second", "--email", "second@example.org")
	p.must("", "unlock", "--username", "second@example.org")
	if err := os.Rename(key+".away", key); err != nil {
		t.Fatal(err)
	}
	p.start()
	p.login("admin", reset, "password_expired")
	p.login("second", made, "password_expired")
}

// TestAdminRefusals: what each command refuses, and that it changes nothing
// then.
func TestAdminRefusals(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	create := "create-admin --username x --email x@example.org"
	for _, c := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"create-admin --email x@example.org", 2, "--username is missing"},
		{"create-admin --username x", 2, "--email is missing"},
		{"create-admin --username x --email nothing", 2, "--email must be"},
		{"create-admin --username x:y --email x@example.org", 2, "--username must be"},
		{"create-admin --username ADMIN --email x@example.org", 1, "is taken"},
		{"create-admin --username x --email Admin@LOCALHOST", 1, "belongs to another account"},
		{create + " more", 2, "takes no arguments"},
		{create + " --password hunter2", 2, "password"},
		{create + " --password-stdin", 1, "standard input has no line"},
		{create + " --config /nowhere", 2, "does not exist"},
		{"reset-password --username nobody", 1, "There is no such user"},
		{"unlock --username nobody", 1, "There is no such user"},
		{"unlock", 2, "--username is missing"},
		{"dance", 2, "there is no such command"},
	} {
		code, stdout, stderr := p.admin("", strings.Fields(c.args)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.stderr) || strings.Contains(stderr, "hunter2") {
			t.Errorf("%s: %d %q %q", c.args, code, stdout, stderr)
		}
	}
	token := p.login("admin", veryFirst, "")
	if _, out := p.get("/api/admin/users", token); len(out["items"].([]any)) != 1 {
		t.Errorf("accounts: %v", out["items"])
	}
	for _, what := range []string{"", "create-admin ", "reset-password ", "unlock "} {
		args := strings.Fields("admin " + what + "--help")
		if code, stdout, stderr := run(t, nil, args...); code != 0 || stderr != "" || !strings.Contains(stdout, "Usage: keyward admin") {
			t.Errorf("%v: %d %q %q", args, code, stdout, stderr)
		}
	}
}

// TestAdminMakesNoInstallation: a directory without a database stays one, and
// a database of another program's schema as it is.
func TestAdminMakesNoInstallation(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	reset := []string{"admin", "reset-password", "--username", "admin", "--data"}
	code, _, stderr := run(t, nil, append(reset, empty)...)
	if left, err := os.ReadDir(empty); err != nil || len(left) != 0 || code != 1 || !strings.Contains(stderr, "--data") {
		t.Errorf("%d %s, left %v %v", code, stderr, left, err)
	}
	if err := os.WriteFile(filepath.Join(empty, "keyward.db"), []byte("this is no database, whatever it is called"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := run(t, nil, append(reset, empty)...); code != 1 || stderr == "" {
		t.Errorf("no database: %d %s", code, stderr)
	}
	p := newPlace(t)
	p.stop()
	p.execute("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, TRUE)")
	if code, _, stderr := p.admin("", "reset-password", "--username", "admin"); code != 1 || !strings.Contains(stderr, "schema version 99999") {
		t.Errorf("a newer schema: %d %s", code, stderr)
	}
	p.execute("DELETE FROM goose_db_version WHERE version_id > 0")
	if code, _, stderr := p.admin("", "reset-password", "--username", "admin"); code != 1 || !strings.Contains(stderr, "schema version 0,") {
		t.Errorf("an older schema: %d %s", code, stderr)
	}
}
