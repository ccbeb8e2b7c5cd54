package agent

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/tryout/vtoken"
)

const factoryKey = "010203040506070801020304050607080102030405060708"

// refusal is a body that must be refused before anything reaches the token.
type refusal struct {
	name, path string
	body       any
	status     int
	code       string
	field      string // that errors must name, if any
}

// secretValue takes the place of a secret in the refused bodies, so that the test
// sees if it is ever repeated.
const secretValue = "Xy7secretXy7"

func refusals(t *testing.T) []refusal {
	t.Helper()
	good := map[string]m{
		"/piv/set-pin":               {"pin": pin(t, pin1)},
		"/piv/set-puk":               {"puk": puk(t, puk1)},
		"/piv/unblock-pin":           {"puk": puk(t, puk1), "pin": pin(t, pin1)},
		"/piv/set-retries":           {"management_key": key(t, key1), "pin": pin(t, pin1), "pin_retries": 3, "puk_retries": 3},
		"/piv/rotate-management-key": {"management_key": key(t, key1)},
		"/piv/generate-csr":          {"pin": pin(t, "123456"), "management_key": key(t, factoryKey), "subject": m{"common_name": "ann"}},
		"/piv/import-certificate":    {"management_key": key(t, factoryKey), "certificate": issue(t, &testKey().PublicKey)},
		"/piv/probe":                 {"field": "pin", "candidates": []string{pin(t, "123456")}},
	}
	with := func(path string, more m) m {
		r := m{"encrypted": true, "serial": serial}
		for _, part := range []m{good[path], more} {
			for k, v := range part {
				if r[k] = v; v == nil {
					delete(r, k)
				}
			}
		}
		return r
	}
	var list []refusal
	add := func(name, path string, body any, status int, code, field string) {
		list = append(list, refusal{name, path, body, status, code, field})
	}
	secrets := map[string]piv.Field{
		"pin": piv.PIN, "current_pin": piv.PIN, "puk": piv.PUK, "current_puk": piv.PUK,
		"management_key": piv.ManagementKey, "current_management_key": piv.ManagementKey,
	}
	fields := map[string][]string{
		"/piv/set-pin": {"pin", "current_pin"}, "/piv/set-puk": {"puk", "current_puk"}, "/piv/unblock-pin": {"puk", "pin"},
		"/piv/set-retries": {"management_key", "pin"}, "/piv/rotate-management-key": {"management_key", "current_management_key"},
		"/piv/generate-csr": {"pin", "management_key"}, "/piv/import-certificate": {"management_key", "pin"},
	}
	for path, names := range fields {
		for _, name := range names {
			f := secrets[name]
			bad := func(what string, value any, code, field string) {
				add(what+" "+name, path, with(path, m{name: value}), 400, code, field)
			}
			bad("unsealed", secretValue, "decrypt_failed", name)
			bad("empty", "", "invalid_request", name)
			bad("sealed empty", seal(t, serial, f, ""), "invalid_request", name)
			bad("for another token", seal(t, "20260002", f, pin1), "decrypt_failed", name)
			for _, other := range piv.Fields {
				if other != f {
					bad("sealed as "+string(other)+",", seal(t, serial, other, pin1), "decrypt_failed", name)
				}
			}
			bad("number for", 123456, "invalid_request", name)
			forms := []string{"12345", "123456789", "12345\n", "12345 7", "12345é", "1234\x00567"}
			if f == piv.ManagementKey {
				forms = []string{"00", strings.Repeat("g", 48), strings.Repeat("0", 47), strings.Repeat("0", 34), strings.Repeat("0", 66), " " + key1}
			}
			for _, form := range forms {
				bad(fmt.Sprintf("malformed %q", form), seal(t, serial, f, form), "invalid_request", name)
			}
		}
	}
	for path := range good {
		add("plain", path, with(path, m{"encrypted": false}), 400, "invalid_request", "encrypted")
		add("no encrypted", path, with(path, m{"encrypted": nil}), 400, "invalid_request", "encrypted")
		add("no serial", path, with(path, m{"serial": nil}), 400, "invalid_request", "serial")
		add("malformed serial", path, with(path, m{"serial": "2026/0001"}), 400, "invalid_request", "serial")
		add("unknown field", path, with(path, m{"pins": secretValue}), 400, "invalid_request", "pins")
		add("field in capitals", path, with(path, m{"PIN": secretValue}), 400, "invalid_request", "PIN")
		add("field twice", path, `{"encrypted":true,"encrypted":false,"serial":"`+serial+`"}`, 400, "invalid_request", "encrypted")
		add("no JSON", path, "{"+secretValue, 400, "invalid_request", "body")
		add("trailing data", path, "{} "+secretValue, 400, "invalid_request", "body")
		add("list", path, "[]", 400, "invalid_request", "body")
		add("null body", path, "null", 400, "invalid_request", "body")
		add("nothing", path, "", 400, "invalid_request", "body")
		add("too large", path, `{"a":"`+strings.Repeat("x", 1<<20)+`"}`, 413, "body_too_large", "")
	}
	const gen, imp, pro, rot, ret = "/piv/generate-csr", "/piv/import-certificate", "/piv/probe",
		"/piv/rotate-management-key", "/piv/set-retries"
	for _, slot := range []any{"9b", "f9", "82", "9A", secretValue, 9} {
		add(fmt.Sprintf("slot %v", slot), gen, with(gen, m{"slot": slot}), 400, "invalid_request", "slot")
		add(fmt.Sprintf("slot %v", slot), imp, with(imp, m{"slot": slot}), 400, "invalid_request", "slot")
	}
	add("no subject", gen, with(gen, m{"subject": nil}), 400, "invalid_request", "subject")
	add("no name", gen, with(gen, m{"subject": m{}}), 400, "invalid_request", "subject.common_name")
	add("line break in a name", gen, with(gen, m{"subject": m{"common_name": "a\nb"}}), 400, "invalid_request", "subject.common_name")
	add("long name", gen, with(gen, m{"subject": m{"common_name": strings.Repeat("n", 65)}}), 400, "invalid_request", "subject.common_name")
	add("unknown policy", gen, with(gen, m{"pin_policy": "sometimes"}), 400, "invalid_request", "pin_policy")
	add("no management key", gen, with(gen, m{"management_key": nil}), 400, "invalid_request", "management_key")
	add("reuse and overwrite", gen, with(gen, m{"reuse_key": true, "overwrite": true}), 400, "invalid_request", "overwrite")
	add("reuse with a policy", gen, with(gen, m{"reuse_key": true, "pin_policy": "once"}), 400, "invalid_request", "reuse_key")
	add("reuse of no key", gen, with(gen, m{"reuse_key": true}), 409, "conflict", "")
	add("foreign certificate", imp, with(imp, nil), 400, "invalid_request", "certificate")
	add("two certificates", imp, with(imp, m{"certificate": strings.Repeat(issue(t, &testKey().PublicKey), 2)}),
		400, "invalid_request", "certificate")
	add("no certificate", imp, with(imp, m{"certificate": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}),
		400, "invalid_request", "certificate")
	add("unknown field to probe", pro, with(pro, m{"field": "so-pin"}), 400, "invalid_request", "field")
	add("null for a required secret", "/piv/set-pin", with("/piv/set-pin", m{"pin": (*int)(nil)}), 400, "invalid_request", "pin")
	add("null for a candidate", pro, with(pro, m{"candidates": []any{nil}}), 400, "invalid_request", "candidates[0]")
	add("no candidates", pro, with(pro, m{"candidates": []string{}}), 400, "invalid_request", "candidates")
	add("four candidates", pro, with(pro, m{"candidates": slices.Repeat([]string{pin(t, "123456")}, 4)}), 400, "invalid_request", "candidates")
	add("candidate of another field", pro, with(pro, m{"candidates": []string{puk(t, "12345678")}}), 400, "decrypt_failed", "candidates")
	add("key of another length", rot, with(rot, m{"algorithm": "AES256"}), 400, "invalid_request", "management_key")
	add("unknown algorithm", rot, with(rot, m{"algorithm": "DES"}), 400, "invalid_request", "algorithm")
	add("no tries", ret, with(ret, m{"pin_retries": 0}), 400, "invalid_request", "pin_retries")
	add("too many tries", ret, with(ret, m{"puk_retries": 256}), 400, "invalid_request", "puk_retries")
	add("no confirmation", "/piv/reset", m{"serial": serial, "confirm": "20260002"}, 400, "invalid_request", "confirm")
	add("no confirm", "/piv/reset", m{"serial": serial}, 400, "invalid_request", "confirm")
	return list
}

// TestRefusals sends every refused request to a real token, which stays
// unchanged: same defaults, all tries left, empty slots.
func TestRefusals(t *testing.T) {
	t.Parallel()
	h := host(t, vtoken.Options{})
	a := startOn(t, h, Config{})
	info, defaults := a.get(t, "/piv/info?serial="+serial).body, a.get(t, "/piv/check-defaults?serial="+serial).body
	for _, r := range refusals(t) {
		out := a.post(t, r.path, r.body)
		name := r.path + ": " + r.name
		if out.status != r.status || out.code() != r.code {
			t.Errorf("%s: got %d %.400s, want %d %s", name, out.status, out.raw, r.status, r.code)
			continue
		}
		if out.header.Get("Content-Type") != "application/problem+json" || out.body["request_id"] == "" {
			t.Errorf("%s: not a problem document: %s", name, out.raw)
		}
		if strings.Contains(out.raw, secretValue) {
			t.Errorf("%s: the answer repeats the value: %s", name, out.raw)
		}
		if r.field != "" && !strings.Contains(out.raw, `"field":"`+r.field+`"`) {
			t.Errorf("%s: the answer does not name %s: %s", name, r.field, out.raw)
		}
	}
	if diff := cmp.Diff(info, a.get(t, "/piv/info?serial="+serial).body); diff != "" {
		t.Errorf("a refusal changed the token (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(defaults, a.get(t, "/piv/check-defaults?serial="+serial).body); diff != "" {
		t.Errorf("a refusal changed the token (-before +after):\n%s", diff)
	}
	if strings.Contains(a.log.String(), secretValue) {
		t.Error("the log repeats a value")
	}
}

// TestPaths shows that unknown paths and methods get problem documents, too.
func TestPaths(t *testing.T) {
	t.Parallel()
	a := start(t, Config{})
	for _, c := range []struct {
		method, path string
		status       int
		code         string
	}{
		{http.MethodGet, "/", 404, "not_found"},
		{http.MethodGet, "//health", 404, "not_found"},
		{http.MethodGet, "/piv/../health", 404, "not_found"},
		{http.MethodGet, "/piv%2Finfo", 404, "not_found"},
		{http.MethodGet, "/health/", 404, "not_found"},
		{http.MethodGet, "/openapi.yaml", 404, "not_found"},
		{http.MethodPut, "/health", 405, "method_not_allowed"},
		{http.MethodGet, "/piv/set-pin", 405, "method_not_allowed"},
		{http.MethodPost, "/health", 405, "method_not_allowed"},
		{http.MethodOptions, "/health", 405, "method_not_allowed"},
		{http.MethodGet, "/piv/info", 400, "invalid_request"},
		{http.MethodGet, "/piv/info?serial=%00", 400, "invalid_request"},
		{http.MethodGet, "/piv/info?serial=20260001&x=1", 400, "invalid_request"},
		{http.MethodGet, "/piv/info?serial=20260001", 503, "tool_missing"},
		{http.MethodGet, "/piv/check-defaults?serial=20260001", 503, "tool_missing"},
		{http.MethodGet, "/discover", 503, "tool_missing"},
	} {
		var body any
		if c.method == http.MethodPost {
			body = m{}
		}
		out := a.do(t, c.method, c.path, body)
		if out.status != c.status || out.code() != c.code || out.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: got %d %s, want %d %s", c.method, c.path, out.status, out.raw, c.status, c.code)
		}
		if c.status == 503 && out.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", c.path)
		}
	}
}
