package pki

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/vault"
)

const (
	maxCommonName = 64  // ub-common-name, RFC 5280 appendix A.1, in characters
	maxUPN        = 256 // as accounts have
	maxNames      = 100 // subject alternative names in one certificate
)

// Names are the checked names of a request.
type Names struct {
	CommonName  string
	Emails, DNS []string
	IPs         []netip.Addr // IPv4 as four bytes
	URIs        []string

	Organization, OrganizationalUnit, Country string

	UPN       string
	Principal vault.Principal
	SID       string
}

// Empty reports whether there are no alternative names.
func (n *Names) Empty() bool {
	return len(n.Emails)+len(n.DNS)+len(n.IPs)+len(n.URIs) == 0 && n.UPN == "" && n.Principal == vault.Principal{}
}

// CheckNames checks every name of a request. Its errors name the field and
// never repeat a value.
func CheckNames(req vault.SignRequest) (*Names, error) {
	if err := CheckCommonName(req.CommonName); err != nil {
		return nil, err
	}
	if len(req.Emails)+len(req.DNSNames)+len(req.IPs)+len(req.URIs) > maxNames {
		return nil, fault.Newf(fault.CSRRejected, "many_names", "The CSR has more than {max} alternative names.",
			fault.Params{"max": maxNames}).With(vault.ErrInvalid)
	}
	n := &Names{
		CommonName: req.CommonName, Emails: req.Emails, DNS: req.DNSNames, URIs: req.URIs,
		Organization: req.Organization, OrganizationalUnit: req.OrganizationalUnit, Country: req.Country,
		UPN: req.UPN, Principal: req.Principal, SID: req.SID,
	}
	if err := n.checkDirectory(); err != nil {
		return nil, err
	}
	for _, email := range req.Emails {
		if !validEmail(email) {
			return nil, fault.New(fault.CSRRejected, "bad_email", "An email address is malformed. If it has "+
				"letters other than ASCII, the domain must be in punycode (xn--) and the local part in "+
				"ASCII.").With(vault.ErrInvalid)
		}
	}
	for _, name := range req.DNSNames {
		if !visibleASCII(name) || len(name) > 253 || strings.ContainsAny(name, ",@") {
			return nil, fault.New(fault.CSRRejected, "bad_dns_name",
				"A DNS name is empty, too long, or not ASCII. Write an international name in punycode (xn--).").With(vault.ErrInvalid)
		}
	}
	for _, text := range req.IPs {
		ip, err := netip.ParseAddr(text)
		if err != nil || ip.Zone() != "" {
			return nil, fault.New(fault.CSRRejected, "bad_ip", "An IP address is malformed.").With(vault.ErrInvalid)
		}
		n.IPs = append(n.IPs, ip.Unmap())
	}
	for _, text := range req.URIs {
		u, err := url.Parse(text)
		if err != nil || !visibleASCII(text) || u.Scheme == "" || u.Opaque == "" && u.Host == "" && u.Path == "" {
			return nil, fault.New(fault.CSRRejected, "bad_uri", "A URI is not absolute or not ASCII.").With(vault.ErrInvalid)
		}
	}
	return n, nil
}

var (
	sid = regexp.MustCompile(`^S-1(-[0-9]{1,10}){1,15}$`)
	// kerberos is a KerberosString that needs no escapes (RFC 4120, section 5.2.1).
	kerberos = regexp.MustCompile(`^[!-~]{1,255}$`)
	country  = regexp.MustCompile(`^[A-Z]{2}$`)
)

// checkDirectory checks the names that a profile gives beside the common name and those of CSRs.
func (n *Names) checkDirectory() error {
	local, suffix, _ := strings.Cut(n.UPN, "@")
	p := n.Principal
	switch {
	case n.UPN != "" && (local == "" || suffix == "" || strings.Contains(suffix, "@") || !textinput.ValidLine(n.UPN, maxUPN)):
		return fault.New(fault.CSRRejected, "bad_upn", "The account's UPN is malformed. Ask an administrator to correct it.").
			With(vault.ErrInvalid)
	case p != vault.Principal{} && (!kerberos.MatchString(p.Name) || !kerberos.MatchString(p.Realm) || strings.ContainsAny(p.Name+p.Realm, `@/\`)):
		return fault.New(fault.CSRRejected, "bad_principal",
			"The Kerberos principal is malformed: name and realm must be ASCII. Ask an administrator to correct the account or the realm.").
			With(vault.ErrInvalid)
	case n.SID != "" && !sid.MatchString(n.SID):
		return fault.New(fault.CSRRejected, "bad_sid", "The account's Windows SID is malformed. Ask an administrator to correct it.").
			With(vault.ErrInvalid)
	case n.Country != "" && !country.MatchString(n.Country),
		!textinput.ValidLine(n.Organization, maxCommonName), !textinput.ValidLine(n.OrganizationalUnit, maxCommonName):
		return fault.Newf(fault.CSRRejected, "bad_subject",
			"Organization and organizational unit must have at most {max} characters, and the country two capital letters.",
			fault.Params{"max": maxCommonName}).With(vault.ErrInvalid)
	}
	return nil
}

// CheckCommonName returns CSRRejected for a name that no subject may have.
func CheckCommonName(cn string) error {
	switch {
	case strings.TrimSpace(cn) == "":
		return fault.New(fault.CSRRejected, "no_common_name", "The CSR's subject has no common name (CN).").With(vault.ErrInvalid)
	case !textinput.ValidLine(cn, maxCommonName):
		return fault.Newf(fault.CSRRejected, "bad_common_name",
			"The common name (CN) must have at most {max} characters and no control characters.",
			fault.Params{"max": maxCommonName}).With(vault.ErrInvalid)
	}
	return nil
}

// validEmail reports whether a mailbox fits an rfc822Name (RFC 5280, section 4.2.1.6): ASCII, a
// dot-atom (RFC 5322), an @ and a host name.
func validEmail(email string) bool {
	local, domain, ok := strings.Cut(email, "@")
	if !ok || len(local) > 64 || len(domain) > 253 {
		return false
	}
	for atom := range strings.SplitSeq(local, ".") {
		if atom == "" || strings.ContainsFunc(atom, func(r rune) bool { return !isAtext(r) }) {
			return false
		}
	}
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' ||
			strings.ContainsFunc(label, func(r rune) bool { return !isAlnum(r) && r != '-' }) {
			return false
		}
	}
	return true
}

func isAlnum(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

func isAtext(r rune) bool {
	return isAlnum(r) || r < utf8.RuneSelf && strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
}

func visibleASCII(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}
