package account

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/textinput"
)

const (
	maxUPN = 256 // characters; Active Directory takes no longer ones, nor
	notUPN = `"/\[]:;|=,+*?<>`
)

// suffix is a DNS name, or one label: a directory's domain may be called corp.
var suffix = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

const maxSuffix = 253

func validSuffix(text string) bool { return len(text) <= maxSuffix && suffix.MatchString(text) }

// ValidUPN reports whether text can be a user principal name: whom a directory signs in
// by a certificate.
func ValidUPN(text string) bool {
	local, domain, found := strings.Cut(text, "@")
	unfit := func(r rune) bool {
		return !unicode.IsGraphic(r) || unicode.IsSpace(r) || strings.ContainsRune(notUPN, r)
	}
	return found && local != "" && !strings.ContainsFunc(local, unfit) && validSuffix(strings.ToLower(domain)) &&
		textinput.ValidLine(text, maxUPN)
}

// sid is that of an account of a domain: the domain's three numbers, and the account's.
var sid = regexp.MustCompile(`^S-1-5-21(-(0|[1-9][0-9]{0,9})){4}$`)

// ValidSID reports whether text is the canonical security identifier of a domain's
// account (MS-DTYP, section 2.4.2.1).
func ValidSID(text string) bool {
	if !sid.MatchString(text) {
		return false
	}
	for _, part := range strings.Split(text, "-")[4:] {
		if _, err := strconv.ParseUint(part, 10, 32); err != nil {
			return false
		}
	}
	return true
}

var (
	badUPN = fault.Wrongf("upn", "bad_upn", "must be a user principal name such as name@example.org: at most {max} characters, no "+
		"spaces and none of {not}, and after the @ a domain name", fault.Params{"max": maxUPN, "not": notUPN})
	badSID = fault.Wrong("sid", "bad_sid", "must be the SID of a domain's account, such as S-1-5-21-1004336348-1177238915-682003330-1104")
)

func cleanUPN(text string) string { return norm.NFC.String(strings.TrimSpace(text)) }

// checkDirectory cleans a UPN and a SID, which may be empty, and finds what is wrong with them.
func checkDirectory(upn, sid *string) (bad []fault.Field) {
	*upn, *sid = cleanUPN(*upn), strings.TrimSpace(*sid)
	if *upn != "" && !ValidUPN(*upn) {
		bad = append(bad, badUPN)
	}
	if *sid != "" && !ValidSID(*sid) {
		bad = append(bad, badSID)
	}
	return bad
}

// UPNKey and SIDKey are the names under which a UPN and a SID have their holder.
func UPNKey(upn string) string { return "upn:" + textinput.Fold(upn) }

// SIDKey is UPNKey's counterpart.
func SIDKey(sid string) string { return "sid:" + textinput.Fold(sid) }

// directoryKeys are the keys of an account's UPN and SID, as far as it has them.
func directoryKeys(upn, sid string) (keys []string) {
	if upn != "" {
		keys = append(keys, UPNKey(upn))
	}
	if sid != "" {
		keys = append(keys, SIDKey(sid))
	}
	return keys
}

// MayHaveUPN reports whether managers may give a member that UPN: its suffix is exactly
// one of the organization's, ignoring case.
func (o *Organization) MayHaveUPN(upn string) bool {
	_, domain, _ := strings.Cut(upn, "@")
	return o != nil && slices.Contains(o.UPNSuffixes, strings.ToLower(domain))
}

// Errors about directory names that only a global administrator may set: whoever names
// an account after an administrator of the directory becomes one.
var (
	upnOutside = fault.Wrong("upn", "upn_outside_suffixes",
		"does not end in one of the organization's UPN suffixes; only a global administrator may set, change or clear such a UPN")
	sidGlobal = fault.Wrong("sid", "sid_of_global_admin", "may only be set, changed or cleared by a global administrator")
)

// mayName refuses directory names, former and next, that are not the actor's to give or take.
func mayName(scope access.Scope, o *Organization, u, next User) error {
	if scope.Reach == access.Everything {
		return nil
	}
	var bad []fault.Field
	if next.UPN != u.UPN && (next.UPN != "" && !o.MayHaveUPN(next.UPN) || u.UPN != "" && !o.MayHaveUPN(u.UPN)) {
		bad = append(bad, upnOutside)
	}
	if next.SID != u.SID {
		bad = append(bad, sidGlobal)
	}
	if len(bad) == 0 {
		return nil
	}
	return fault.New(fault.PermissionDenied, "directory_names",
		"Only a global administrator can set a SID, or a UPN that doesn't end in one of the organization's UPN suffixes. Ask one.").About(bad...)
}

// named says what becomes of a directory name, for the audit log.
func named(what, former, next string) string {
	or := func(name string) string {
		if name == "" {
			return "none"
		}
		return name
	}
	return fmt.Sprintf("%s from %s to %s", what, or(former), or(next))
}

// directoryNames are those of a new account, for the audit log.
func (u User) directoryNames() (said string) {
	if u.UPN != "" {
		said += ", UPN " + u.UPN
	}
	if u.SID != "" {
		said += ", SID " + u.SID
	}
	return said
}
