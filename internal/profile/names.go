package profile

import (
	"regexp"
	"strings"

	"github.com/keyward/keyward/internal/access"
)

// Holder is whom and what a certificate is for: what templates may name.
//
//	{username} {email} {name} {upn} {organization} {serial}   {name|username}: the first that isn't empty
type Holder struct {
	Username, Email, Name, UPN, SID string
	Organization                    string
	Realm                           string // of Kerberos; empty: none
	Serial                          string // of the token
	OrganizationID                  *int64
	Role                            access.Role // empty: unknown
}

var placeholder = regexp.MustCompile(`\{([a-z|]+)\}`)

// fields are the names that a template may have.
var fields = map[string]func(Holder) string{
	"username":     func(h Holder) string { return h.Username },
	"email":        func(h Holder) string { return h.Email },
	"name":         func(h Holder) string { return h.Name },
	"upn":          func(h Holder) string { return h.UPN },
	"organization": func(h Holder) string { return h.Organization },
	"serial":       func(h Holder) string { return h.Serial },
}

// fill returns the text of a template; empty if a placeholder of it is.
func (h Holder) fill(template string) string {
	lacks := false
	text := placeholder.ReplaceAllStringFunc(template, func(found string) string {
		for name := range strings.SplitSeq(found[1:len(found)-1], "|") {
			if field := fields[name]; field != nil && field(h) != "" {
				return field(h)
			}
		}
		lacks = true
		return ""
	})
	if lacks {
		return ""
	}
	return text
}

// mentions are the fields that a template names.
func mentions(template string) (names []string) {
	for _, found := range placeholder.FindAllStringSubmatch(template, -1) {
		names = append(names, strings.Split(found[1], "|")...)
	}
	return names
}

// principal is the name before the realm; of a UPN, what stands before its @. Empty if that is no
// plain name (host/server would be another principal) or not ASCII (RFC 4120, section 5.2.1).
func (h Holder) principal(template string) string {
	name := h.fill(template)
	if name == h.UPN {
		name, _, _ = strings.Cut(name, "@")
	}
	if strings.ContainsAny(name, `@/\`) || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return name
}
