package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	someSID  = "S-1-5-21-1004336348-1177238915-682003330-1104"
	otherSID = "S-1-5-21-1004336348-1177238915-682003330-1105"
)

// suffixed is a fixture whose organization a has a UPN suffix.
func suffixed(t *testing.T) *fixture {
	t.Helper()
	w := newFixture(t)
	o := w.must(200, "PATCH", w.organizationPath("a"), w.tokens["admin"],
		fields{"upn_suffixes": []string{" Corp.Example ", "corp.example"}, "kerberos_realm": "Corp.EXAMPLE"})
	if fmt.Sprint(o["upn_suffixes"], " ", o["kerberos_realm"]) != "[corp.example] Corp.EXAMPLE" {
		t.Fatalf("the organization: %v", o)
	}
	return w
}

// TestDirectoryNames: who sets them, how they are shown, and what the log says.
func TestDirectoryNames(t *testing.T) {
	t.Parallel()
	w := suffixed(t)
	admin, manager, path := w.tokens["admin"], w.tokens["a-org_manager"], w.userPath("a-user")
	shown := func(u map[string]any) string { return fmt.Sprint(u["upn"], " ", u["sid"]) }
	for i, c := range []struct {
		token string
		body  fields
		want  string
	}{
		{manager, fields{"upn": " Zoë@CORP.example "}, "Zoë@CORP.example <nil>"},
		{manager, fields{"upn": ""}, "<nil> <nil>"},
		{manager, fields{"upn": "zoe@corp.example", "sid": nil}, "zoe@corp.example <nil>"},
		{admin, fields{"upn": "zoe@anywhere.example", "sid": someSID}, "zoe@anywhere.example " + someSID},
		{manager, fields{"upn": "zoe@anywhere.example", "sid": someSID, "name": "Z"}, "zoe@anywhere.example " + someSID}, // what stands
		{admin, fields{"organization_id": w.ids["b"]}, "zoe@anywhere.example " + someSID},                                // moves with the person
		{admin, fields{"organization_id": w.ids["a"], "upn": nil, "sid": ""}, "<nil> <nil>"},
	} {
		if got := shown(w.must(200, "PATCH", path, c.token, c.body)); got != c.want {
			t.Errorf("%d: %s, want %s", i, got, c.want)
		}
		if got := shown(w.must(200, "GET", path, admin, nil)); got != c.want {
			t.Errorf("%d: read as %s, want %s", i, got, c.want)
		}
	}
	log := strings.Join(append(w.audited("admin", "user.updated"), w.audited("a-org_manager", "user.updated")...), "\n")
	for _, said := range []string{"UPN from none to Zoë@CORP.example", "UPN from Zoë@CORP.example to none", "SID from none to " + someSID} {
		if !strings.Contains(log, said) {
			t.Errorf("%q is not in the log:\n%s", said, log)
		}
	}
	made := w.must(201, "POST", "/api/admin/users", manager, fields{"username": "new", "email": "new@example.org", "upn": "new@corp.example"})
	if shown(made) != "new@corp.example <nil>" {
		t.Errorf("made: %v", made)
	}
	made = w.must(201, "POST", "/api/admin/users", admin,
		fields{"username": "root2", "email": "root2@example.org", "upn": "root@forest", "sid": someSID})
	if shown(made) != "root@forest "+someSID {
		t.Errorf("made by an administrator: %v", made)
	}
	if log := strings.Join(w.audited("admin", "user.created"), "\n"); !strings.Contains(log, "UPN root@forest, SID "+someSID) {
		t.Errorf("the log: %s", log)
	}
	if log := strings.Join(w.audited("admin", "organization.updated"), "\n"); !strings.Contains(log, "UPN suffixes corp.example") ||
		!strings.Contains(log, "Kerberos realm Corp.EXAMPLE") {
		t.Errorf("the log: %s", log)
	}
	o := w.must(200, "PATCH", w.organizationPath("a"), admin, fields{"upn_suffixes": nil, "kerberos_realm": nil})
	if fmt.Sprint(o["upn_suffixes"], " ", o["kerberos_realm"]) != "[] <nil>" {
		t.Errorf("cleared: %v", o)
	}
	o = w.must(201, "POST", "/api/admin/organizations", admin,
		fields{"name": "x", "upn_suffixes": []string{"X.example"}, "kerberos_realm": "x"})
	if fmt.Sprint(o["upn_suffixes"], " ", o["kerberos_realm"]) != "[x.example] x" {
		t.Errorf("made: %v", o)
	}
}

// TestDirectoryNamesRefused: whoever names an account after an administrator of the
// directory becomes one, so a manager names by the own suffixes alone.
func TestDirectoryNamesRefused(t *testing.T) {
	t.Parallel()
	w := suffixed(t)
	w.must(200, "PATCH", w.userPath("b-user"), w.tokens["admin"], fields{"upn": "Root@forest.example", "sid": someSID})
	w.must(200, "PATCH", w.userPath("a-org_manager"), w.tokens["admin"], fields{"upn": "boss@forest.example", "sid": otherSID})
	w.tokens["key"], _ = w.apiKey("admin", fields{"name": "hr", "role": "global_admin"})
	account := func(more fields) fields {
		body := fields{"username": "new", "email": "new@example.org"}
		for k, v := range more {
			body[k] = v
		}
		return body
	}
	var list []refusal
	for _, field := range []struct {
		name   string
		values []any
	}{
		{"upn", []any{"x", "x@", "a b@corp.example", "a@b@corp.example", "a/b@corp.example", "a@corp_.example", "a\nb@corp.example"}},
		{"sid", []any{"x", "S-1-5-18", "S-1-5-21-1-2-3", "S-1-5-21-1-2-3-04", "S-1-5-21-1-2-3-4294967296"}},
	} {
		for _, v := range field.values {
			body := fields{field.name: v}
			list = append(list, refusal{"admin", "PATCH", w.userPath("a-user"), body, 400, "invalid_request", field.name},
				refusal{"admin", "POST", "/api/admin/users", account(body), 400, "invalid_request", field.name})
		}
	}
	for _, body := range []fields{{"upn": "x@forest.example"}, {"upn": "x@sub.corp.example"}, {"sid": "S-1-5-21-1-2-3-4"}} {
		var field string
		for field = range body {
		}
		for _, who := range []string{"a-org_manager", "key"} {
			names := field
			if who == "key" {
				names = ""
			}
			list = append(list, refusal{who, "PATCH", w.userPath("a-user"), body, 403, "permission_denied", names},
				refusal{who, "POST", "/api/admin/users", account(body), 403, "permission_denied", names})
		}
	}
	list = append(list,
		refusal{"key", "PATCH", w.userPath("a-user"), fields{"upn": "x@corp.example"}, 403, "permission_denied", ""},
		refusal{"a-org_manager", "PATCH", w.userPath("a-org_manager"), fields{"upn": nil}, 403, "permission_denied", "upn"},
		refusal{"a-org_manager", "PATCH", w.userPath("a-org_manager"), fields{"upn": "x@corp.example"}, 403, "permission_denied", "upn"},
		refusal{"a-org_manager", "PATCH", w.userPath("a-org_manager"), fields{"sid": nil}, 403, "permission_denied", "sid"},
		refusal{"b-org_manager", "PATCH", w.userPath("b-user"), fields{"upn": "x@corp.example"}, 403, "permission_denied", "upn"},
		refusal{"a-org_manager", "PATCH", w.userPath("b-user"), fields{"upn": "x@corp.example"}, 404, "not_found", ""},
		refusal{"a-user", "PATCH", w.userPath("a-user"), fields{"upn": "x@corp.example"}, 403, "permission_denied", ""},
		refusal{"admin", "PATCH", w.userPath("a-user"), fields{"upn": "ROOT@forest.example"}, 409, "conflict", "upn"},
		refusal{"admin", "PATCH", w.userPath("a-user"), fields{"sid": someSID}, 409, "conflict", "sid"},
		refusal{"admin", "POST", "/api/admin/users", account(fields{"sid": someSID}), 409, "conflict", "sid"},
		refusal{"a-org_manager", "PATCH", w.organizationPath("a"), fields{"upn_suffixes": []string{"forest"}}, 403, "permission_denied", ""},
		refusal{"key", "PATCH", w.organizationPath("a"), fields{"upn_suffixes": []string{"forest.example"}}, 403, "permission_denied", ""},
		refusal{"key", "PATCH", w.organizationPath("a"), fields{"kerberos_realm": "X"}, 403, "permission_denied", ""},
		refusal{"key", "POST", "/api/admin/organizations", fields{"name": "x", "kerberos_realm": "X"}, 403, "permission_denied", ""},
		refusal{"admin", "PATCH", w.organizationPath("a"), fields{"upn_suffixes": []string{"@x"}}, 400, "invalid_request", "upn_suffixes"},
		refusal{"admin", "PATCH", w.organizationPath("a"), fields{"kerberos_realm": "A B"}, 400, "invalid_request", "kerberos_realm"},
		refusal{"admin", "POST", "/api/admin/organizations", fields{"name": "x", "kerberos_realm": "/"},
			400, "invalid_request", "kerberos_realm"},
	)
	w.refuses(list)
}

// TestDirectoryNameInALiveCertificate: as with an email, the request says what becomes of
// the certificate, and nobody else gets the name before that has ended.
func TestDirectoryNameInALiveCertificate(t *testing.T) {
	t.Parallel()
	for field, c := range map[string]struct{ san, is, next, other string }{
		"upn": {`[{"type":"upn","value":"ZOE@corp.example"}]`, "zoe@corp.example", "zz@corp.example", "Zoe@Corp.example"},
		"sid": {`[{"type":"uri","value":"tag:microsoft.com,2022-09-14:sid:` + someSID + `"}]`, someSID, otherSID, someSID},
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			w := suffixed(t)
			admin, path := w.tokens["admin"], w.userPath("a-user")
			w.must(200, "PATCH", path, admin, fields{field: c.is})
			w.execute("UPDATE certificates SET sans = ? WHERE serial_number = ?", c.san, w.serial)
			out := w.must(409, "PATCH", path, admin, fields{field: c.next})
			if params, _ := out["params"].(map[string]any); out["code"] != "certificates_live" || params["count"] != 1.0 {
				t.Errorf("the question: %v", out)
			}
			w.must(409, "PATCH", path, admin, fields{field: nil})
			out = w.must(200, "PATCH", path, admin, fields{field: c.next, "revoke_certificates": true})
			if out["certificates_revoked"] != 1.0 || !w.onCRL(w.serial) {
				t.Errorf("the certificate is not revoked: %v", out)
			}
			out = w.must(409, "PATCH", w.userPath("b-user"), admin, fields{field: c.other})
			if params, _ := out["params"].(map[string]any); params["reason"] != field+"_reserved" || params["until"] == nil {
				t.Errorf("a former name: %v", out)
			}
			w.must(200, "PATCH", path, admin, fields{field: c.is}) // its holder may get it back
		})
	}
}

// TestImportDirectoryNames: the columns upn and sid follow the rules of the API, line by line.
func TestImportDirectoryNames(t *testing.T) {
	t.Parallel()
	w := suffixed(t)
	w.must(200, "PATCH", w.userPath("b-user"), w.tokens["admin"], fields{"upn": "taken@corp.example", "sid": otherSID})
	const head = "email,organization,upn,sid\n"
	status, figures, rows := w.importPeople("a-org_manager", "", head+
		"one@example.org,,one@corp.example,\ntwo@example.org,,two@forest.example,"+someSID+"\nthree@example.org,,ONE@corp.example,\n"+
		"four@example.org,,Taken@corp.example,\nfive@example.org,,no upn,S-1\n")
	want := []string{
		"2 one@example.org created", "3 two@example.org failed upn:upn_outside_suffixes sid:sid_of_global_admin",
		"4 three@example.org failed upn:repeated", "5 four@example.org failed upn:of_another",
		"6 five@example.org failed upn:bad_upn sid:bad_sid",
	}
	if status != 200 || figures != "1 0 4 0" || !cmp.Equal(want, rows) {
		t.Errorf("a manager's: %d %s\n%s", status, figures, cmp.Diff(want, rows))
	}
	if denials := strings.Join(w.audited("a-org_manager", "permission.denied"), "\n"); !strings.Contains(denials, "import-users") {
		t.Errorf("a name beyond the scope is not on record: %q", denials)
	}
	file := head + "one@example.org,org a,ONE@corp.example,\none@example.org,org a,two@corp.example,\n" +
		"six@example.org,org a,six@forest.example," + someSID + "\n"
	status, figures, rows = w.importPeople("admin", "", file)
	want = []string{"2 one@example.org unchanged", "3 one@example.org failed username:repeated", "4 six@example.org created"}
	if status != 200 || figures != "1 1 1 0" || !cmp.Equal(want, rows) {
		t.Errorf("an administrator's: %d %s\n%s", status, figures, cmp.Diff(want, rows))
	}
	_, _, rows = w.importPeople("admin", "", head+"six@example.org,org a,six@corp.example,"+otherSID+"\n")
	if want := []string{"2 six@example.org failed upn:differs_account sid:differs_account"}; !cmp.Equal(want, rows) {
		t.Errorf("other names: %q", rows)
	}
	items := w.must(200, "GET", "/api/admin/users?q=six", w.tokens["admin"], nil)["items"].([]any)
	if u := items[0].(map[string]any); u["upn"] != "six@forest.example" || u["sid"] != someSID {
		t.Errorf("made as %v", u)
	}
	if log := w.audited("admin", "user.created"); !slices.ContainsFunc(log, func(s string) bool {
		return strings.Contains(s, "UPN six@forest.example, SID "+someSID)
	}) {
		t.Errorf("the log: %q", log)
	}
	w.tokens["key"], _ = w.apiKey("admin", fields{"name": "hr", "role": "global_admin"})
	_, _, rows = w.importPeople("key", "", head+"key@example.org,org a,key@corp.example,\n")
	if want := []string{"2 key@example.org failed upn:no_name_by_key"}; !cmp.Equal(want, rows) {
		t.Errorf("a key's: %q", rows)
	}
}
