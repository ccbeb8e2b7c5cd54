package profile

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/textinput"
)

var (
	name    = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)
	country = regexp.MustCompile(`^[A-Z]{2}$`)
	host    = regexp.MustCompile(`^[A-Za-z0-9.{}-]{1,253}$`)
)

// Check returns Invalid for a profile that must not be, with every field that is wrong, and
// ProfileUnsupported for one that the vault can't make.
func (s *Service) Check(p Profile) error {
	bad := &findings{}
	bad.when(!name.MatchString(p.Name) || p.Name == None,
		fault.Wrong("name", "profile_name", "must have 1 to 40 of a to z, 0 to 9 and -, and can't be none"))
	bad.when(!textinput.ValidLine(p.Description, 256), fault.BadText("description", 256))
	p.checkSlots(bad)
	p.checkKeys(bad, s.KeyTypes)
	if p.TTL != "" {
		d, err := time.ParseDuration(p.TTL)
		bad.when(err != nil || d < time.Hour || d > s.MaxTTL, fault.Wrongf("ttl", "profile_ttl",
			"must be a duration from 1h to PKI_CERT_TTL, which is {max}", fault.Params{"max": s.MaxTTL.String()}))
	}
	p.checkSubject(bad)
	p.checkSANs(bad)
	within(bad, "sid", p.SID, SIDOff, SIDOptional, SIDRequired)
	within(bad, "attestation", p.Attestation, Inherit, Verify, Require)
	for _, policy := range p.PINPolicies {
		bad.when(!slices.Contains(piv.PINPolicies[1:], policy), fault.NotOneOf("pin_policies", piv.PINPolicies[1:]...))
	}
	for _, policy := range p.TouchPolicies {
		bad.when(!slices.Contains(piv.TouchPolicies[1:], policy), fault.NotOneOf("touch_policies", piv.TouchPolicies[1:]...))
	}
	for _, role := range p.Roles {
		bad.when(!role.Valid(), fault.NotOneOf("roles", access.Roles...))
	}
	bad.when(len(p.Organizations) > 1000, fault.TooMany("organizations", 1000))
	if len(bad.fields) > 0 {
		return fault.Invalid(bad.fields...)
	}
	if s.Constant && slices.ContainsFunc(p.SANs, func(san SAN) bool { return san.Type == URI }) {
		return fault.New(fault.ProfileUnsupported, "vault_uri", "A vault of your own makes no certificates with URIs as alternative names.").
			About(fault.Wrong("sans", "vault_uri", "can't have URIs with a vault of your own"))
	}
	for _, part := range p.Subject.parts()[1:] {
		if field := part.field; s.Constant && strings.Contains(part.template, "{") {
			return fault.Newf(fault.ProfileUnsupported, "constant_subject",
				"With a vault of your own, {field} is the same in all certificates of a profile: it can't have placeholders.",
				fault.Params{"field": field}).About(fault.Wrong(field, "constant_subject", "can't have placeholders with a vault of your own"))
		}
	}
	return nil
}

// findings collects what is wrong, each field once.
type findings struct{ fields []fault.Field }

func (f *findings) when(wrong bool, field fault.Field) {
	if wrong && !slices.ContainsFunc(f.fields, func(o fault.Field) bool { return o.Field == field.Field }) {
		f.fields = append(f.fields, field)
	}
}

func within(bad *findings, field, value string, values ...string) {
	bad.when(value != "" && !slices.Contains(values, value), fault.NotOneOf(field, values...))
}

func (p Profile) checkSlots(bad *findings) {
	bad.when(len(p.Slots) == 0, fault.Required("slots"))
	for _, slot := range p.Slots {
		bad.when(!slot.Valid(), fault.NotOneOf("slots", piv.Slots...))
	}
	if !slices.Contains(p.Slots, piv.CardAuthentication) {
		return
	}
	person := p.SID == SIDOptional || p.SID == SIDRequired || len(p.ExtendedKeyUsage) != 1 || !p.allows("cardAuthentication")
	for _, template := range p.templates() {
		person = person || slices.ContainsFunc(mentions(template), func(m string) bool { return m != "serial" && m != "organization" })
	}
	bad.when(person, fault.Wrong("slots", "card_authentication",
		"can only have 9e, which asks for no PIN, if the profile names no person and has cardAuthentication alone"))
}

// templates are all of a profile.
func (p Profile) templates() []string {
	var list []string
	for _, part := range p.Subject.parts() {
		list = append(list, part.template)
	}
	for _, san := range p.SANs {
		list = append(list, san.Value)
	}
	return list
}

func (p Profile) checkKeys(bad *findings, allowed []piv.KeyType) {
	for _, usage := range p.KeyUsage {
		bad.when(usages[usage] == 0,
			fault.Wrong("key_usage", "key_usage", "must be of digitalSignature, contentCommitment, keyEncipherment and keyAgreement"))
	}
	bad.when(len(p.KeyUsage) == 0, fault.Required("key_usage"))
	for _, t := range p.KeyTypes {
		bad.when(!slices.Contains(KeyTypes, t), fault.NotOneOf("key_types", KeyTypes...))
	}
	bad.when(!slices.ContainsFunc(allowed, func(t piv.KeyType) bool { return p.Usage(t).Key != 0 }), fault.Wrong("key_types", "no_key_type",
		"and key_usage leave none of the key types that this installation certifies (PKI_KEY_TYPES)"))
	bad.when(len(p.ExtendedKeyUsage) == 0, fault.Required("extended_key_usage"))
	bad.when(len(p.ExtendedKeyUsage) > 20, fault.TooMany("extended_key_usage", 20))
	for i, usage := range p.ExtendedKeyUsage {
		oid := purpose(usage)
		bad.when(slices.ContainsFunc(p.ExtendedKeyUsage[:i], func(o string) bool { return purpose(o).Equal(oid) }),
			fault.Wrong("extended_key_usage", "purpose_twice", "has a purpose twice"))
		bad.when(oid == nil && forbidden[usage] == "",
			fault.Wrong("extended_key_usage", "purpose", "must be names of extended key usages or dotted OIDs"))
		for called, dotted := range forbidden {
			bad.when(usage == called || oid != nil && oid.String() == dotted, fault.Wrong("extended_key_usage", "purpose_forbidden",
				"has a purpose that no person's certificate may have, such as serverAuth, codeSigning or anyExtendedKeyUsage"))
		}
	}
}

func (p Profile) checkSubject(bad *findings) {
	bad.when(p.Subject.CommonName == "", fault.Required("subject.common_name"))
	for _, part := range p.Subject.parts() {
		bad.when(!textinput.ValidLine(part.template, 200), fault.BadText(part.field, 200))
		bad.when(!wellFormed(part.template), fault.Wrongf(part.field, "template",
			"can only have the placeholders {list}",
			fault.Params{"list": "{username}, {email}, {name}, {upn}, {organization}, {serial}, and {name|username}"}))
	}
	bad.when(p.Subject.Country != "" && !country.MatchString(p.Subject.Country),
		fault.Wrong("subject.country", "country", "must be two capital letters"))
	if !p.allows("clientAuth", "smartcardLogon", "pkinitClient") {
		return
	}
	// Many programs go by the subject alone.
	for _, part := range p.Subject.parts() {
		bad.when(slices.Contains(mentions(part.template), "name"), fault.Wrong(part.field, "name_imitates",
			"can't have a person's name in a profile to sign in with: it can imitate somebody's username"))
	}
	text := placeholder.ReplaceAllString(p.Subject.CommonName, "")
	person := slices.ContainsFunc(mentions(p.Subject.CommonName), func(m string) bool { return m != "serial" && m != "organization" })
	bad.when(person && text != "", fault.Wrong("subject.common_name", "name_with_text",
		"can't have text around a placeholder in a profile to sign in with: together they can make somebody else's name"))
}

// parts are the templates of a subject, the common name first.
func (s Subject) parts() []struct{ field, template string } {
	return []struct{ field, template string }{
		{"subject.common_name", s.CommonName}, {"subject.organization", s.Organization},
		{"subject.organizational_unit", s.OrganizationalUnit}, {"subject.country", s.Country},
	}
}

// wellFormed reports whether all braces of a template are placeholders that there are.
func wellFormed(template string) bool {
	return !strings.ContainsAny(placeholder.ReplaceAllString(template, ""), "{}") &&
		!slices.ContainsFunc(mentions(template), func(m string) bool { return fields[m] == nil })
}

// principals are the templates of a Kerberos principal.
var principals = []string{"{username}", "{upn}"}

// checkSANs keeps templates of names that identify somebody whole: with a text around it, whoever
// names accounts could become somebody else.
func (p Profile) checkSANs(bad *findings) {
	bad.when(len(p.SANs) > 20, fault.TooMany("sans", 20))
	for i, san := range p.SANs {
		several := san.Type == DNS || san.Type == URI
		bad.when(slices.ContainsFunc(p.SANs[:i], func(o SAN) bool { return o == san || o.Type == san.Type && !several }),
			fault.Wrong("sans", "san_twice", "has a name twice"))
		switch san.Type {
		case Email:
			bad.when(san.Value != "{email}", fault.Wrong("sans", "san_email", "can only have the account's as email"))
		case UPN:
			bad.when(san.Value != "{upn}", fault.Wrong("sans", "san_upn", "can only have the account's as upn"))
		case KRB5Principal:
			bad.when(!slices.Contains(principals, san.Value),
				fault.Wrongf("sans", "san_principal", "can only have {list} as krb5_principal", fault.Params{"list": strings.Join(principals, ", ")}))
		case DNS, URI:
			only := !slices.ContainsFunc(mentions(san.Value), func(m string) bool { return m != "serial" })
			ok := only && wellFormed(san.Value) && san.Value != "" && textinput.ValidLine(san.Value, 200)
			if san.Type == DNS {
				ok = ok && host.MatchString(san.Value)
			} else {
				ok = ok && strings.Contains(san.Value, ":") && !pki.IsSIDURI(san.Value)
			}
			bad.when(!ok, fault.Wrongf("sans", "san_literal",
				"must be DNS names or URIs whose only placeholder is {list}", fault.Params{"list": "{serial}"}))
		default:
			bad.when(true, fault.Wrong("sans", "san_type", "must be of the types email, upn, krb5_principal, dns and uri"))
		}
	}
}
