package webhook

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/keyward/keyward/internal/fault"
)

// maxURL is the longest address of a receiver, in bytes.
const maxURL = 2048

// CheckURL checks a receiver's address: https, a host, no credentials, no
// fragment. InvalidRequest for url otherwise. A literal IP address must be
// public or allowed; the address that a name resolves to is checked at each
// connection.
func CheckURL(text string, allowed Networks) error {
	switch {
	case text == "":
		return fault.Invalid(fault.Required("url"))
	case len(text) > maxURL:
		return fault.Invalid(fault.TooLong("url", maxURL))
	}
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7f || text[i] == '\\' {
			return fault.Invalid(fault.Wrong("url", "not_ascii", "must be an address in ASCII, without spaces and backslashes"))
		}
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" {
		return fault.Invalid(fault.Wrong("url", "bad_url", "must be an address such as https://hooks.example.org/keyward"))
	}
	switch {
	case u.Scheme != "https":
		return fault.Invalid(fault.Wrong("url", "no_https", "must start with https://"))
	case u.User != nil:
		return fault.Invalid(fault.Wrong("url", "url_credentials", "must not contain a username or password"))
	case strings.Contains(text, "#"):
		return fault.Invalid(fault.Wrong("url", "url_fragment", "must not have a fragment (#)"))
	case strings.Contains(u.Host, "%"):
		return fault.Invalid(fault.Wrong("url", "url_zone", "must not name a network interface (%)"))
	case !validPort(u):
		return fault.Invalid(fault.Wrong("url", "bad_port", "must have a port between 1 and 65535, or none"))
	}
	return checkHost(u.Hostname(), allowed)
}

func validPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && n > 0
}

func checkHost(host string, allowed Networks) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		if allowed.Check(addr) != nil {
			return fault.Invalid(fault.Wrong("url", "network_refused",
				"names an address in a network that webhooks may not reach; see WEBHOOK_ALLOWED_NETWORKS"))
		}
		return nil
	}
	if !validName(host) {
		return fault.Invalid(fault.Wrong("url", "bad_host", "must have a host name such as hooks.example.org"))
	}
	return nil
}

// validName accepts DNS names (RFC 1123, section 2.1), also with underscores.
func validName(host string) bool {
	host = strings.TrimSuffix(host, ".")
	if host == "" || len(host) > 253 {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for i := range len(label) {
			c := label[i]
			if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
				return false
			}
		}
	}
	return true
}

// hostOf is the part of an address for the audit log: the rest may contain a receiver's key.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}
