package profile

import (
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

func vpn() Profile {
	return Profile{
		Name: "vpn", Slots: []piv.Slot{piv.Authentication}, KeyTypes: []piv.KeyType{piv.RSA2048}, TTL: "720h",
		KeyUsage: []string{"digitalSignature"}, ExtendedKeyUsage: []string{"clientAuth", "1.3.6.1.5.5.7.3.7"},
		Subject: Subject{CommonName: "{username}", Organization: "Acme"}, SANs: []SAN{{Email, "{email}"}, {DNS, "card-{serial}.example.org"}},
	}
}

// TestWhatNoProfileMayBe: each rule of certificates.md, "Profiles", refuses what breaks it, and
// names the field.
func TestWhatNoProfileMayBe(t *testing.T) {
	t.Parallel()
	s := &Service{KeyTypes: []piv.KeyType{piv.RSA2048}, MaxTTL: 8760 * time.Hour}
	if err := s.Check(vpn()); err != nil {
		t.Fatalf("a good one: %v", err)
	}
	for _, p := range Builtins() {
		if p.Name == Default { // which 9e may have where an administrator chooses so
			continue
		}
		if err := s.Check(p); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	for what, c := range map[string]struct {
		field  string
		change func(*Profile)
	}{
		"a name of capitals":            {"name", func(p *Profile) { p.Name = "VPN" }},
		"none":                          {"name", func(p *Profile) { p.Name = None }},
		"no slot":                       {"slots", func(p *Profile) { p.Slots = nil }},
		"another slot":                  {"slots", func(p *Profile) { p.Slots = []piv.Slot{"82"} }},
		"9e that signs in":              {"slots", func(p *Profile) { p.Slots = append(p.Slots, piv.CardAuthentication) }},
		"a type that nobody certifies":  {"key_types", func(p *Profile) { p.KeyTypes = []piv.KeyType{piv.ECP256} }},
		"a type without usages":         {"key_types", func(p *Profile) { p.KeyUsage = []string{"keyAgreement"} }},
		"no usage":                      {"key_usage", func(p *Profile) { p.KeyUsage = nil }},
		"a CA's usage":                  {"key_usage", func(p *Profile) { p.KeyUsage = []string{"keyCertSign"} }},
		"any purpose":                   {"extended_key_usage", func(p *Profile) { p.ExtendedKeyUsage = nil }},
		"no purpose":                    {"extended_key_usage", func(p *Profile) { p.ExtendedKeyUsage = []string{"x"} }},
		"an OID with a leading zero":    {"extended_key_usage", func(p *Profile) { p.ExtendedKeyUsage = []string{"1.03.6"} }},
		"an OID of one number":          {"extended_key_usage", func(p *Profile) { p.ExtendedKeyUsage = []string{"1"} }},
		"serverAuth":                    {"extended_key_usage", func(p *Profile) { p.ExtendedKeyUsage = []string{"serverAuth"} }},
		"serverAuth as OID":             {"extended_key_usage", func(p *Profile) { p.ExtendedKeyUsage = []string{"1.3.6.1.5.5.7.3.1"} }},
		"code signing":                  {"extended_key_usage", func(p *Profile) { p.ExtendedKeyUsage = []string{"1.3.6.1.5.5.7.3.3"} }},
		"time stamping":                 {"extended_key_usage", func(p *Profile) { p.ExtendedKeyUsage = []string{"timeStamping"} }},
		"OCSP signing":                  {"extended_key_usage", func(p *Profile) { p.ExtendedKeyUsage = []string{"1.3.6.1.5.5.7.3.9"} }},
		"any purpose by name":           {"extended_key_usage", func(p *Profile) { p.ExtendedKeyUsage = []string{"2.5.29.37.0"} }},
		"a KDC":                         {"extended_key_usage", func(p *Profile) { p.ExtendedKeyUsage = []string{"1.3.6.1.5.2.3.5"} }},
		"an enrolment agent":            {"extended_key_usage", func(p *Profile) { p.ExtendedKeyUsage = []string{"1.3.6.1.4.1.311.20.2.1"} }},
		"no duration":                   {"ttl", func(p *Profile) { p.TTL = "a year" }},
		"longer than the installation":  {"ttl", func(p *Profile) { p.TTL = "8761h" }},
		"no common name":                {"subject.common_name", func(p *Profile) { p.Subject.CommonName = "" }},
		"no such placeholder":           {"subject.common_name", func(p *Profile) { p.Subject.CommonName = "{password}" }},
		"a brace":                       {"subject.common_name", func(p *Profile) { p.Subject.CommonName = "{username" }},
		"a name that imitates":          {"subject.common_name", func(p *Profile) { p.Subject.CommonName = "{name|username}" }},
		"no country":                    {"subject.country", func(p *Profile) { p.Subject.Country = "de" }},
		"a text around an email":        {"sans", func(p *Profile) { p.SANs = []SAN{{Email, "admin+{email}"}} }},
		"a fixed UPN":                   {"sans", func(p *Profile) { p.SANs = []SAN{{UPN, "administrator@corp.example"}} }},
		"a UPN of the username":         {"sans", func(p *Profile) { p.SANs = []SAN{{UPN, "{username}@corp.example"}} }},
		"a fixed principal":             {"sans", func(p *Profile) { p.SANs = []SAN{{KRB5Principal, "root"}} }},
		"a host of the username":        {"sans", func(p *Profile) { p.SANs = []SAN{{DNS, "{username}.example.org"}} }},
		"a URI that is none":            {"sans", func(p *Profile) { p.SANs = []SAN{{URI, "card"}} }},
		"a name of another kind":        {"sans", func(p *Profile) { p.SANs = []SAN{{"ip", "192.0.2.1"}} }},
		"a SID in a URI":                {"sans", func(p *Profile) { p.SANs = []SAN{{URI, "TAG:microsoft.com,2022-09-14:sid:S-1-5-21-1"}} }},
		"a name with text":              {"subject.common_name", func(p *Profile) { p.Subject.CommonName = "adm{username}" }},
		"a name as a group":             {"subject.organization", func(p *Profile) { p.Subject.Organization = "{name}" }},
		"a purpose twice":               {"extended_key_usage", func(p *Profile) { p.ExtendedKeyUsage[1] = "1.3.6.1.5.5.7.3.2" }},
		"the token's own policy":        {"pin_policies", func(p *Profile) { p.PINPolicies = []string{"default"} }},
		"two emails":                    {"sans", func(p *Profile) { p.SANs = append(p.SANs, SAN{Email, "{email}"}) }},
		"a SID perhaps":                 {"sid", func(p *Profile) { p.SID = "maybe" }},
		"no attestation":                {"attestation", func(p *Profile) { p.Attestation = "off" }},
		"no such policy":                {"pin_policies", func(p *Profile) { p.PINPolicies = []string{"twice"} }},
		"no such policy of touch":       {"touch_policies", func(p *Profile) { p.TouchPolicies = []string{"twice"} }},
		"no such role":                  {"roles", func(p *Profile) { p.Roles = append(p.Roles, "root") }},
		"a description of many lines":   {"description", func(p *Profile) { p.Description = "a\nb" }},
		"an organization of many lines": {"subject.organization", func(p *Profile) { p.Subject.Organization = "a\nb" }},
	} {
		p := vpn()
		c.change(&p)
		f, ok := fault.As(s.Check(p))
		if !ok || !slices.ContainsFunc(f.Fields, func(f fault.Field) bool { return f.Field == c.field }) {
			t.Errorf("%s: %v", what, f)
		}
	}
	p := vpn()
	p.Subject.Organization = "{organization}"
	if err := s.Check(p); err != nil {
		t.Errorf("an organization by token: %v", err)
	}
	s.Constant = true
	if err := s.Check(p); !fault.Is(err, fault.ProfileUnsupported) {
		t.Errorf("the same with a vault that has constant names: %v", err)
	}
	p = vpn()
	p.SANs = []SAN{{URI, "urn:card:{serial}"}}
	if err := s.Check(p); !fault.Is(err, fault.ProfileUnsupported) {
		t.Errorf("a URI with a vault that makes none: %v", err)
	}
}
