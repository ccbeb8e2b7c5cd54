package profile

import (
	"crypto/x509"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var (
	organization = int64(7)
	ada          = Holder{
		Username: "ada", Email: "ada@example.org", Name: "Ada Lovelace", UPN: "lovelace@corp.example", SID: "S-1-5-21-1-2-3-1001",
		Organization: "Acme", Realm: "CORP.EXAMPLE", Serial: "12345678", OrganizationID: &organization, Role: "user",
	}
	bare = Holder{Username: "bob", Email: "bob@example.org", Serial: "12345678"}
)

// TestUsagesByKey: one profile serves each type of key, with what that can do (RFC 5480, RFC 8410).
func TestUsagesByKey(t *testing.T) {
	t.Parallel()
	const signs, commits, enciphers, agrees = x509.KeyUsageDigitalSignature, x509.KeyUsageContentCommitment,
		x509.KeyUsageKeyEncipherment, x509.KeyUsageKeyAgreement
	for name, want := range map[string][3]x509.KeyUsage{ // RSA, P-256, Ed25519
		"default":             {signs | enciphers, signs, signs},
		"logon":               {signs, signs, signs},
		"signature":           {signs | commits, signs | commits, signs | commits},
		"encryption":          {enciphers, agrees, 0},
		"tls-client":          {signs, signs, signs},
		"card-authentication": {signs, signs, signs},
	} {
		p, _ := Builtin(name)
		for i, kind := range []piv.KeyType{piv.RSA2048, piv.ECP256, piv.Ed25519} {
			if got := p.Usage(kind).Key; got != want[i] {
				t.Errorf("%s with %s: %b, want %b", name, kind, got, want[i])
			}
		}
	}
	p := Profile{Name: "x", KeyUsage: []string{"digitalSignature", "keyAgreement"}, KeyTypes: []piv.KeyType{piv.RSA2048}}
	if p.Usage(piv.RSA2048).Key != signs || p.Usage(piv.ECP256).Key != 0 {
		t.Error("an RSA key that agrees, or a type of key that the profile hasn't")
	}
}

func reasons(list []*fault.Error) (codes []string) {
	for _, f := range list {
		codes = append(codes, f.Reason)
	}
	return codes
}

// TestNames: what each profile makes of an account with everything, and of one with the least.
func TestNames(t *testing.T) {
	t.Parallel()
	usages := func(name string) vault.Usage { p, _ := Builtin(name); return p.Usage(piv.ECP256) }
	type outcome struct {
		Request vault.SignRequest
		Reasons []string
	}
	for name, want := range map[string][2]outcome{
		"logon": {
			{Request: vault.SignRequest{CommonName: "ada", Emails: []string{ada.Email}, UPN: ada.UPN, SID: ada.SID,
				Principal: vault.Principal{Name: "ada", Realm: "CORP.EXAMPLE"}}},
			{vault.SignRequest{CommonName: "bob", Emails: []string{bare.Email}}, []string{"upn_missing"}},
		},
		"signature": {
			{Request: vault.SignRequest{CommonName: "Ada Lovelace", Emails: []string{ada.Email}}},
			{Request: vault.SignRequest{CommonName: "bob", Emails: []string{bare.Email}}},
		},
		"card-authentication": {
			{Request: vault.SignRequest{CommonName: "card 12345678"}}, {Request: vault.SignRequest{CommonName: "card 12345678"}},
		},
	} {
		p, _ := Builtin(name)
		for i, h := range []Holder{ada, bare} {
			got := must.Get(p.Request(must.Get(x509.ParsePKIXPublicKey(ecKey))(t), h))(t)
			want[i].Request.Usage = usages(name)
			if diff := cmp.Diff(want[i], outcome{got, reasons(p.Obstacles(p.Slots[0], h))}, cmp.AllowUnexported(vault.CSR{})); diff != "" {
				t.Errorf("%s for %s: %s", name, h.Username, diff)
			}
		}
	}
}

// TestPrincipals: a username that is no plain name must not name another principal.
func TestPrincipals(t *testing.T) {
	t.Parallel()
	p, _ := Builtin("logon")
	for username, want := range map[string]string{"ada": "ada", "host/server": "", "ada@evil.example": "", `CORP\ada`: "", "zoë": ""} {
		h := bare
		h.Username, h.Realm = username, "CORP.EXAMPLE"
		if got := p.Names(h).Principal.Name; got != want {
			t.Errorf("%s becomes %q", username, got)
		}
	}
}

// TestObstacles: each reason why somebody can't have a profile.
func TestObstacles(t *testing.T) {
	t.Parallel()
	base := Profile{
		Name: "x", Slots: []piv.Slot{piv.Authentication}, Subject: Subject{CommonName: "{username}", Organization: "{organization}"},
		ExtendedKeyUsage: []string{"clientAuth"},
	}
	for want, change := range map[string]func(*Profile, *Holder){
		"profile_slot":          func(p *Profile, _ *Holder) { p.Slots = []piv.Slot{piv.Signature} },
		"profile_organization":  func(p *Profile, _ *Holder) { p.Organizations = []int64{8} },
		"profile_role":          func(p *Profile, _ *Holder) { p.Roles = append(p.Roles, "org_manager") },
		"sid_missing":           func(p *Profile, h *Holder) { p.SID, h.SID = SIDRequired, "" },
		"profile_field_missing": func(_ *Profile, h *Holder) { h.Organization = "" },
		"bad_common_name": func(p *Profile, _ *Holder) {
			p.Subject.CommonName = "{username} of the department of very long names, section for the longest"
		},
		"bad_upn": func(p *Profile, h *Holder) { p.SANs, h.UPN = []SAN{{UPN, "{upn}"}}, "lovelace" },
		"bad_subject": func(_ *Profile, h *Holder) {
			h.Organization = "An organization of a name with many more characters than certificates have"
		},
	} {
		p, h := base, ada
		if got := p.Obstacles(piv.Authentication, h); len(got) > 0 {
			t.Fatalf("at first: %v", reasons(got))
		}
		change(&p, &h)
		if got := reasons(p.Obstacles(piv.Authentication, h)); !slices.Equal(got, []string{want}) {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

// ecKey is the P-256 key of RFC 6979, A.2.5, as a SubjectPublicKeyInfo.
var ecKey = []byte("\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\x00\x04" +
	"\x60\xfe\xd4\xba\x25\x5a\x9d\x31\xc9\x61\xeb\x74\xc6\x35\x6d\x68\xc0\x49\xb8\x92\x3b\x61\xfa\x6c\xe6\x69\x62\x2e\x60\xf2\x9f\xb6" +
	"\x79\x03\xfe\x10\x08\xb8\xbc\x99\xa4\x1a\xe9\xe9\x56\x28\xbc\x64\xf2\xf1\xb2\x0c\x2d\x7e\x9f\x51\x77\xa3\xc2\x94\xd4\x46\x22\x99")
