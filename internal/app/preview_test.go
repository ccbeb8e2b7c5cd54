package app_test

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

const previewPath = "/api/admin/profiles/preview"

// vpn is a profile that can be saved, changed as a test wants it.
func vpn(change m) m {
	p := m{
		"name": "vpn", "slots": []string{"9a"}, "key_types": []string{"rsa-2048"}, "key_usage": []string{"digitalSignature"},
		"extended_key_usage": []string{"clientAuth", "1.3.6.1.5.5.8.2.2"}, "ttl": "24h",
		"subject": m{"common_name": "{username}", "organization": "Acme"},
	}
	for name, value := range change {
		p[name] = value
	}
	return p
}

// TestPreview: the text says what is in the certificate of a made-up person, an account and a token's
// owner; nothing is recorded, and no CA of ours signed it.
func TestPreview(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	user := fmt.Sprintf("/api/admin/users/%v", w.ids["a-user"])
	w.must(200, "PATCH", user, w.tokens["admin"], m{"upn": "ada@corp.example", "sid": "S-1-5-21-1-2-3-1001", "revoke_certificates": false})
	for name, c := range map[string]struct {
		body m
		want string // lines' beginnings; a leading ! for what must not be there
	}{
		"made up": {m{"profile": "logon"}, "CN = zoe\nUPN zoe@example.org\nemail zoe@example.org\n" +
			"S-1-5-21-1000000000-2000000000-3000000000-1234\nsmartcardLogon (1.3.6.1.4.1.311.20.2.2)\nKey: rsa-2048"},
		"an account":  {m{"profile": "logon", "user_id": w.ids["a-user"]}, "CN = a-user\nUPN ada@corp.example\nS-1-5-21-1-2-3-1001"},
		"a token's":   {m{"profile": "card-authentication", "serial": "10000"}, "CN = card 10000\ncardAuthentication\n!a-user"},
		"default":     {m{"profile": "default", "serial": "10000"}, "CN = a-user\nemail a-user@\ndigitalSignature, keyEncipherment"},
		"not saved":   {m{"profile": vpn(nil)}, "CN = zoe, O = Acme\n1.3.6.1.5.5.8.2.2\n1 day, until"},
		"for a place": {m{"profile": vpn(m{"organizations": []any{w.ids["b"]}, "roles": []string{"org_manager"}})}, "CN = zoe"},
	} {
		got := w.must(200, "POST", previewPath, w.tokens["admin"], c.body)
		block, _ := pem.Decode([]byte(got["certificate"].(string)))
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil || !strings.Contains(cert.Issuer.CommonName, "not valid") {
			t.Errorf("%s: issued by %v, %v", name, cert.Issuer, err)
		}
		text := strings.Join(strings.Fields(got["text"].(string)), " ")
		for line := range strings.Lines(c.want) {
			line, not := strings.CutPrefix(strings.TrimSpace(line), "!")
			if strings.Contains(text, line) == not {
				t.Errorf("%s: %q: %t in\n%s", name, line, not, got["text"])
			}
		}
		warnings := got["warnings"].([]any)
		if os.Getenv("KEYWARD_TEST_VAULT") == "remote" { // which makes no Kerberos principals
			warnings = slices.DeleteFunc(warnings, func(w any) bool { return strings.Contains(w.(string), "Kerberos") })
		}
		if len(warnings) > 0 {
			t.Errorf("%s: %v", name, got["warnings"])
		}
	}
	if list := w.must(200, "GET", "/api/certificates?hwkey_serial=10000", w.tokens["admin"], nil)["items"].([]any); len(list) != 1 {
		t.Errorf("%d certificates, and there was 1", len(list))
	}
	if list := w.must(200, "GET", "/api/admin/audit?action=profile.", w.tokens["admin"], nil)["items"].([]any); len(list) != 0 {
		t.Errorf("the log has %v", list)
	}
}

// TestPreviewWarns: of what the account lacks, of whom the profile isn't for, and of what zlint finds.
func TestPreviewWarns(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	uri := m{"sans": []m{{"type": "dns", "value": "a..example.org"}}}
	for name, c := range map[string]struct {
		body m
		want string
	}{
		"no UPN":             {m{"profile": "logon", "serial": "10000"}, "needs a UPN"},
		"no SID":             {m{"profile": vpn(m{"sid": "required"}), "user_id": w.ids["a-user"]}, "has no Windows SID"},
		"another's":          {m{"profile": vpn(m{"organizations": []any{w.ids["b"]}}), "serial": "10000"}, "for other organizations"},
		"another role's":     {m{"profile": vpn(m{"roles": []string{"org_manager"}}), "user_id": w.ids["a-user"]}, "another role"},
		"an empty DNS label": {m{"profile": vpn(uri)}, "e_rfc_dnsname_empty_label (RFC5280)"},
		"a long name":        {m{"profile": vpn(m{"subject": m{"common_name": strings.Repeat("x", 65)}})}, "at most 64 characters"},
	} {
		got := w.must(200, "POST", previewPath, w.tokens["admin"], c.body)
		if said := fmt.Sprint(got["warnings"]); !strings.Contains(said, c.want) || len(got["sentences"].([]any)) != len(got["warnings"].([]any)) {
			t.Errorf("%s: %v", name, got["sentences"])
		}
		if none := got["certificate"] == nil; none != (name == "a long name") {
			t.Errorf("%s: a certificate: %t", name, !none)
		}
	}
}

// TestPreviewRefuses what saving refuses, with the same fields; and saving refuses what zlint calls an
// error.
func TestPreviewRefuses(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	field := func(out m) string {
		fields, _ := out["errors"].([]any)
		if len(fields) != 1 {
			return fmt.Sprint(out)
		}
		return fmt.Sprint(fields[0].(m)["field"], " ", fields[0].(m)["code"])
	}
	const path = "/api/admin/profiles"
	for want, body := range map[string]m{
		"extended_key_usage purpose_forbidden": {"extended_key_usage": []string{"serverAuth"}},
		"ttl profile_ttl":                      {"ttl": "9999999h"},
		"subject.common_name template":         {"subject": m{"common_name": "{user}"}},
	} {
		for from, body := range map[string]any{path: vpn(body), previewPath: m{"profile": vpn(body)}} {
			if got := field(w.must(400, "POST", from, w.tokens["admin"], body)); got != want {
				t.Errorf("%s: %s, want %s", from, got, want)
			}
		}
	}
	for want, body := range map[string]m{
		"sans profile_lint":                {"sans": []m{{"type": "dns", "value": "a..example.org"}}},
		"subject.common_name profile_lint": {"subject": m{"common_name": strings.Repeat("x", 65)}},
	} {
		if got := field(w.must(400, "POST", path, w.tokens["admin"], vpn(body))); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	w.must(201, "POST", path, w.tokens["admin"], vpn(nil))
	bad := m{"sans": []m{{"type": "dns", "value": "a..b"}}}
	if got := field(w.must(400, "PATCH", path+"/vpn", w.tokens["admin"], bad)); got != "sans profile_lint" {
		t.Error(got)
	}
	for want, body := range map[string]m{
		"profile no_profile":     {"profile": "nobodys"},
		"name profile_taken":     {"profile": vpn(m{"name": "logon"})},
		"user_id serial_or_user": {"profile": "logon", "serial": "10000", "user_id": w.ids["a-user"]},
	} {
		if got := field(w.must(400, "POST", previewPath, w.tokens["admin"], body)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := w.must(400, "POST", previewPath, w.tokens["admin"], m{"profile": m{"name": "x"}}); !strings.HasPrefix(field(got), "profile") {
		t.Error(got)
	}
	w.must(404, "POST", previewPath, w.tokens["admin"], m{"profile": "logon", "serial": "nobodys"})
	w.must(404, "POST", previewPath, w.tokens["admin"], m{"profile": "logon", "user_id": 999999})
	w.must(403, "POST", previewPath, w.tokens["a-org_manager"], m{"profile": "logon"})
}
