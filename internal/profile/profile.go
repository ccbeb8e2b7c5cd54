package profile

import (
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/piv"
)

// Profile is what a certificate is for.
type Profile struct {
	Name             string        `json:"name"` // [a-z0-9-]{1,40}
	Description      string        `json:"description"`
	Slots            []piv.Slot    `json:"slots"`
	KeyTypes         []piv.KeyType `json:"key_types"`
	TTL              string        `json:"ttl"`                // Go duration; empty: PKI_CERT_TTL
	KeyUsage         []string      `json:"key_usage"`          // names of RFC 5280, section 4.2.1.3
	ExtendedKeyUsage []string      `json:"extended_key_usage"` // names of Purposes, or dotted OIDs
	Subject          Subject       `json:"subject"`
	SANs             []SAN         `json:"sans"`
	SID              string        `json:"sid"`            // off, optional or required
	PINPolicies      []string      `json:"pin_policies"`   // that an attestation may show; none: any
	TouchPolicies    []string      `json:"touch_policies"` // likewise
	Attestation      string        `json:"attestation"`    // inherit, verify or require
	Organizations    []int64       `json:"organizations"`  // of the tokens that may have it; none: all
	Roles            []access.Role `json:"roles"`          // of their owners; none: all
	Builtin          bool          `json:"-"`
}

// Subject has templates (see Holder); those that are empty are left out.
type Subject struct {
	CommonName         string `json:"common_name"`
	Organization       string `json:"organization,omitempty"`
	OrganizationalUnit string `json:"organizational_unit,omitempty"`
	Country            string `json:"country,omitempty"`
}

// SAN is an alternative name with a template.
type SAN struct {
	Type  string `json:"type"` // email, upn, krb5_principal, dns or uri
	Value string `json:"value"`
}

// The kinds of alternative names.
const (
	Email         = "email"
	UPN           = "upn"
	KRB5Principal = "krb5_principal"
	DNS           = "dns"
	URI           = "uri"
)

// How a profile has the Windows security identifier (KB5014754).
const (
	SIDOff      = "off"
	SIDOptional = "optional"
	SIDRequired = "required"
)

// How a profile treats attestations, beside PKI_ATTESTATION.
const (
	Inherit = "inherit"
	Verify  = "verify"
	Require = "require"
)

// The names of the built-in profiles that the program itself refers to.
const (
	Default            = "default"
	CardAuthentication = "card-authentication"
)

// KeyTypes are those that a profile may be for, and that the built-in ones are for: PKI_KEY_TYPES
// decides which of them there are.
var KeyTypes = []piv.KeyType{piv.RSA2048, piv.RSA3072, piv.RSA4096, piv.ECP256, piv.ECP384, piv.Ed25519}

// pinned are the PIN policies of keys that prove that their owner was there.
var pinned = []string{"once", "always", "match_once", "match_always"}

var ownersEmail = []SAN{{Email, "{email}"}}

// builtin are the profiles that every installation has. Default is the specification's role
// ("Public PKI endpoints").
var builtin = []Profile{
	{
		Name: Default, Description: "One certificate for everything: to sign in, and to sign and encrypt mail.",
		Slots: piv.Slots, KeyTypes: KeyTypes, KeyUsage: []string{"digitalSignature", "keyEncipherment"},
		ExtendedKeyUsage: []string{"clientAuth", "emailProtection"}, Subject: Subject{CommonName: "{username}"}, SANs: ownersEmail,
	},
	{
		Name: "logon", Description: "To log on to Windows, Linux and Kerberos, and to sign in to web sites.",
		Slots: []piv.Slot{piv.Authentication}, KeyTypes: KeyTypes, KeyUsage: []string{"digitalSignature"},
		ExtendedKeyUsage: []string{"clientAuth", "smartcardLogon", "pkinitClient"}, Subject: Subject{CommonName: "{username}"},
		SANs: []SAN{{UPN, "{upn}"}, {KRB5Principal, "{username}"}, {Email, "{email}"}}, SID: SIDOptional, PINPolicies: pinned,
	},
	{
		Name: "signature", Description: "To sign mail and documents.",
		Slots: []piv.Slot{piv.Signature}, KeyTypes: KeyTypes, KeyUsage: []string{"digitalSignature", "contentCommitment"},
		ExtendedKeyUsage: []string{"emailProtection"}, Subject: Subject{CommonName: "{name|username}"}, SANs: ownersEmail, PINPolicies: pinned,
	},
	{
		Name: "encryption", Description: "For mail that others encrypt. Its key is kept at renewal, so that old mail stays readable.",
		Slots: []piv.Slot{piv.KeyManagement}, KeyTypes: KeyTypes, KeyUsage: []string{"keyEncipherment"},
		ExtendedKeyUsage: []string{"emailProtection"}, Subject: Subject{CommonName: "{name|username}"}, SANs: ownersEmail,
	},
	{
		Name: "tls-client", Description: "To sign in to web sites, VPNs and other servers that ask for a certificate.",
		Slots: []piv.Slot{piv.Authentication}, KeyTypes: KeyTypes, KeyUsage: []string{"digitalSignature"},
		ExtendedKeyUsage: []string{"clientAuth"}, Subject: Subject{CommonName: "{username}"}, SANs: ownersEmail,
	},
	{
		Name: CardAuthentication, Description: "To open doors: the card alone, without a PIN and without its owner's name.",
		Slots: []piv.Slot{piv.CardAuthentication}, KeyTypes: KeyTypes, KeyUsage: []string{"digitalSignature"},
		ExtendedKeyUsage: []string{"cardAuthentication"}, Subject: Subject{CommonName: "card {serial}"},
	},
}

// Builtins are the built-in profiles.
func Builtins() []Profile {
	list := slices.Clone(builtin)
	for i := range list {
		list[i].Builtin = true
	}
	return list
}

// Builtin returns a built-in profile.
func Builtin(name string) (Profile, bool) {
	at := slices.IndexFunc(builtin, func(p Profile) bool { return p.Name == name })
	if at < 0 {
		return Profile{}, false
	}
	p := builtin[at]
	p.Builtin = true
	return p, true
}

// ttl is its lifetime; zero: PKI_CERT_TTL.
func (p Profile) ttl() time.Duration {
	d, err := time.ParseDuration(p.TTL)
	if err != nil {
		return 0
	}
	return d
}
