package mail

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/notify/text"
	"github.com/keyward/keyward/internal/textinput"
)

// SettingName is the row of the settings.
const SettingName = "mail"

// Security is how a connection to the SMTP server is protected.
type Security string

// The ways.
const (
	STARTTLS Security = "starttls" // upgraded to TLS, or not used (RFC 3207)
	TLS      Security = "tls"      // from the start (RFC 8314)
	NoTLS    Security = "none"     // in clear text
)

// Settings is the configuration of mail, without the password.
type Settings struct {
	Enabled           bool     `json:"enabled"`
	Host              string   `json:"host"`
	Port              int      `json:"port"`
	Security          Security `json:"security"`
	AllowInsecureAuth bool     `json:"allow_insecure_auth"` // with Security none, the password may be sent in clear text
	Username          string   `json:"username"`            // empty: no sign-in
	From              string   `json:"from"`                // an address
	FromName          string   `json:"from_name"`
	Language          string   `json:"language"` // for people who have chosen none: en or de
	CAPEM             string   `json:"ca_pem"`   // certificates trusted in addition to the system's

	// PasswordID selects one of the vault's passwords; empty: none.
	PasswordID string `json:"password_id"`
}

// DefaultSettings are those of a new server: mail is off.
func DefaultSettings() Settings {
	return Settings{Port: 587, Security: STARTTLS, FromName: "Keyward", Language: text.English}
}

// DecodeSettings reads stored settings; missing ones get their default.
func DecodeSettings(stored string) (Settings, error) {
	s := DefaultSettings()
	if err := json.Unmarshal([]byte(stored), &s); err != nil {
		return Settings{}, fmt.Errorf("stored settings of mail: %w", err)
	}
	return s, nil
}

// MessageID returns the Message-ID, without brackets, with that random part. Its
// right side is the domain of From (RFC 5322, 3.6.4).
func (s Settings) MessageID(random string) string {
	return random + "@" + s.From[strings.LastIndex(s.From, "@")+1:]
}

// Random returns the random part of a Message-ID.
func Random(messageID string) string {
	random, _, _ := strings.Cut(messageID, "@")
	return random
}

// Bounds of the settings.
const (
	maxText = 256
	maxHost = 253
	maxCA   = 64 << 10
)

// host is a name or an address, IPv6 without brackets.
var host = regexp.MustCompile(`^[A-Za-z0-9_](?:[A-Za-z0-9_.:-]*[A-Za-z0-9_.:])?$|^::[0-9A-Fa-f:.]*$`)

// check returns everything wrong with the settings by themselves; password says
// whether there is to be one, token whether an access token replaces it.
func (s Settings) check(password, token bool) []fault.Field {
	var bad []fault.Field
	wrong := func(is bool, f fault.Field) {
		if is {
			bad = append(bad, f)
		}
	}
	wrong(s.Host == "" && s.Enabled, fault.Required("host"))
	wrong(s.Host != "" && (len(s.Host) > maxHost || !host.MatchString(s.Host)), fault.Wrong("host", "bad_mail_host",
		"must be the SMTP server's name or address, without a port"))
	wrong(loopback.LinkLocal(s.Host), fault.Wrong("host", "link_local", "must not be a link-local address (169.254.0.0/16, fe80::/10)"))
	wrong(s.Port < 1 || s.Port > 65535, fault.OutOfRange("port", 1, 65535))
	wrong(!slices.Contains([]Security{STARTTLS, TLS, NoTLS}, s.Security), fault.NotOneOf("security", STARTTLS, TLS, NoTLS))
	wrong(!textinput.ValidLine(s.Username, maxText), fault.BadText("username", maxText))
	wrong(!textinput.ValidLine(s.FromName, maxText), fault.BadText("from_name", maxText))
	wrong(s.From == "" && s.Enabled, fault.Required("from"))
	wrong(s.From != "" && !account.ValidEmail(s.From), fault.Wrong("from", "bad_email",
		"must be an email address such as name@example.org, in ASCII (a domain of other letters in its xn-- form)"))
	wrong(!text.Known(s.Language), fault.NotOneOf("language", text.English, text.German))
	wrong(s.CAPEM != "" && !certificates(s.CAPEM), fault.Wrong("ca_pem", "bad_pem", "must be certificates in PEM, and nothing else"))
	wrong(s.Username == "" && password, fault.Wrong("username", "no_username", "is required with a password"))
	wrong(s.Username != "" && !password && !token && s.Enabled, fault.Required("password"))
	wrong(s.Security == NoTLS && s.Username != "" && !s.AllowInsecureAuth, fault.Wrong("allow_insecure_auth", "password_in_clear",
		"must be on to send a password without TLS: anyone on the network can read it"))
	return bad
}

func certificates(text string) bool {
	_, err := textinput.Certificates(text)
	return len(text) <= maxCA && err == nil
}

// elsewhere reports whether next would send a password to another server or with
// less protection: making that change takes knowing the password.
func (s Settings) elsewhere(next Settings) bool {
	return s.Host != next.Host || s.Port != next.Port || s.Security != next.Security || s.AllowInsecureAuth != next.AllowInsecureAuth ||
		s.Username != next.Username || s.CAPEM != next.CAPEM
}

// changes returns the names of the fields that differ, for the audit log.
func (s Settings) changes(next Settings) []string {
	before, after := s.fields(), next.fields()
	var names []string
	for name := range after {
		if string(before[name]) != string(after[name]) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (s Settings) fields() map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	raw, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		return nil // a struct of texts and numbers always encodes
	}
	out["password"] = out["password_id"]
	delete(out, "password_id")
	return out
}
