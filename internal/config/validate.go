package config

import (
	"cmp"
	"encoding/base64"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// Mistake is one setting that is wrong.
type Mistake struct {
	Setting string // its name in the environment
	Message string // what it must be; never the value
}

// Mistakes is everything that is wrong with the settings.
type Mistakes []Mistake

// Error lists the mistakes, one a line.
func (m Mistakes) Error() string {
	var b strings.Builder
	b.WriteString("the settings have mistakes:")
	for _, mistake := range m {
		b.WriteString("\n  " + mistake.Setting + " " + mistake.Message)
	}
	return b.String()
}

func (m Mistakes) sorted() Mistakes {
	slices.SortStableFunc(m, func(a, b Mistake) int { return strings.Compare(a.Setting, b.Setting) })
	return m
}

func (m Mistakes) names() map[string]bool {
	names := map[string]bool{}
	for _, mistake := range m {
		names[mistake.Setting] = true
	}
	return names
}

// rule is a row of the table: a setting, whether it is right, and what it
// must be.
type rule struct {
	setting string
	right   bool
	must    string
}

func (c Config) rules() []rule {
	return []rule{
		{"DATA", c.Data != "", "must name a directory"},
		{"LISTEN", listenable(c.Listen), "must be HOST:PORT or :PORT"},
		{"SITE_URL", c.SiteURL == "" || origin(c.SiteURL), "must be a domain, or http:// or https:// with a host, an optional port and no path"},
		{"PKI_BASE_URL", c.PKIBaseURL == "" || origin(c.PKIBaseURL), "must be http:// or https:// with a host, an optional port and no path"},
		{"SITE_URL", c.SiteURL == "" || c.TLSCertFile == "" || strings.HasPrefix(c.SiteURL, "https://"),
			"must be https:// if the server itself uses TLS (TLS_CERT_FILE)"},
		{"TLS_CERT_FILE", (c.TLSCertFile == "") == (c.TLSKeyFile == ""), "and TLS_KEY_FILE go together: set both or neither"},
		{"DRAIN_DELAY", between(c.DrainDelay, 0, 10*time.Minute), "must be between 0s and 10m"},
		{"ALLOWED_ORIGINS", each(c.AllowedOrigins,
			origin), "must be exact origins such as https://keyward.example.com, separated by commas; * is not allowed"},
		{"AGENT_URL", agentAddress(c.AgentURL), "must be http://127.0.0.1:PORT or http://localhost:PORT"},
		{"BACKEND_URL", c.BackendURL == "" || origin(c.BackendURL), "must be http:// or https:// with a host, an optional port and no path"},
		{"METRICS_LISTEN", c.MetricsListen == off || listenable(c.MetricsListen), "must be HOST:PORT, or off"},
		{"SHUTDOWN_TIMEOUT", between(c.ShutdownTimeout, time.Second, 10*time.Minute), "must be between 1s and 10m"},
		{"LOG_FORMAT", oneOf(c.LogFormat, "json", "text"), "must be json or text"},
		{"DATABASE_URL", c.DatabaseURL.Empty() || strings.HasPrefix(c.DatabaseURL.Reveal(), "postgres://") ||
			strings.HasPrefix(c.DatabaseURL.Reveal(), "postgresql://"), "must be postgres://USER:PASSWORD@HOST:PORT/NAME"},
		{"DATABASE_MAX_CONNECTIONS", c.DatabaseMaxConnections >= 4 && c.DatabaseMaxConnections <= 1000, "must be between 4 and 1000"},
		{"DATABASE_CONNECT_TIMEOUT", between(c.DatabaseConnectTimeout, time.Second, time.Minute), "must be between 1s and 1m"},
		{"DATABASE_STATEMENT_TIMEOUT", between(c.DatabaseStatementTimeout, time.Second, 10*time.Minute), "must be between 1s and 10m"},
		{"DATABASE_LOCK_TIMEOUT", between(c.DatabaseLockTimeout, time.Second, 10*time.Minute), "must be between 1s and 10m"},
		{"DATABASE_IDLE_TRANSACTION_TIMEOUT", between(c.DatabaseIdleTransactionTimeout, time.Second,
			10*time.Minute), "must be between 1s and 10m"},
		{"ACCESS_TOKEN_EXPIRE_MINUTES", c.AccessTokenMinutes >= 1 && c.AccessTokenMinutes <= 24*60, "must be between 1 and 1440"},
		{"SESSION_LIFETIME", between(c.SessionLifetime, time.Minute, 24*time.Hour), "must be between 1m and 24h"},
		{"REFRESH_TOKEN_LIFETIME", between(c.RefreshTokenLifetime, time.Minute, 90*24*time.Hour), "must be between 1m and 2160h"},
		{"REFRESH_TOKEN_LIFETIME", c.RefreshTokenLifetime >= c.SessionLifetime, "must not be shorter than SESSION_LIFETIME"},
		{"DEVICE_BINDING", oneOf(c.DeviceBinding, "log", "strict", off), "must be log, strict or off"},
		{"AGENT_TRUST", oneOf(c.AgentTrust, "first-use", "confirm"), "must be first-use or confirm"},
		{"PASSWORD_MIN_LENGTH", c.PasswordMinLength >= 8 && c.PasswordMinLength <= 64, "must be between 8 and 64"},
		{"ARGON2_CONCURRENCY", c.Argon2Concurrency >= 1 && c.Argon2Concurrency <= 64, "must be between 1 and 64"},
		{"ARGON2_MEMORY_MIB", c.Argon2MemoryMiB >= 19 && c.Argon2MemoryMiB <= 1024, "must be between 19 and 1024"},
		{"ARGON2_PASSES", c.Argon2Passes >= 1 && c.Argon2Passes <= 10, "must be between 1 and 10"},
		{"RELEASE_LIMIT_PER_HOUR", c.ReleaseLimit >= 1 && c.ReleaseLimit <= 10_000, "must be between 1 and 10000"},
		{"AUDIT_SYSLOG", c.AuditSyslog == "" ||
			receiver(c.AuditSyslog), "must be udp://HOST:PORT, tcp://HOST:PORT, tls://HOST:PORT or unix:///PATH"},
		{"PKI_CA_KEY_TYPE", oneOf(c.CAKeyType, caKeyTypes...), "must be one of " + strings.Join(caKeyTypes, ", ")},
		{"PKI_KEY_TYPES", len(c.KeyTypes) > 0 && each(c.KeyTypes, subjectKeyType),
			"must be a selection of " + strings.Join(caKeyTypes, ", ") + ", ed25519"},
		{"PKI_SUBJECT_POLICY", oneOf(c.SubjectPolicy, "owner", "any"), "must be owner or any"},
		{"PKI_CERT_TTL", between(c.CertTTL, time.Hour, 87600*time.Hour), "must be between 1h and 87600h"},
		{"PKI_OCSP", oneOf(c.OCSP, "on", off), "must be on or off"},
		{"PKI_OCSP_TTL", between(c.OCSPTTL, 10*time.Minute, 168*time.Hour), "must be between 10m and 168h"},
		{"PKI_CRL_VALIDITY", between(c.CRLValidity, 25*time.Hour, 720*time.Hour), "must be between 25h and 720h"},
		{"PKI_ATTESTATION", oneOf(c.Attestation, "verify", "require", off), "must be verify, require or off"},
		{"PKI_FIRMWARE_MINIMUM", c.FirmwareMinimum == "" || firmware(c.FirmwareMinimum), "must be a version such as 5.4.3"},
		{"VAULT_SEAL_KEY", c.SealKey.Empty() ||
			each(lines(c.SealKey), sealKey), "must be exactly 32 bytes in base64, for example from: openssl rand -base64 32"},
		{"VAULT_SEAL_PASSPHRASE", c.SealPassphrase.Empty() ||
			utf8.RuneCountInString(c.SealPassphrase.Reveal()) >= 12, "must have at least 12 characters"},
		{"VAULT_SEAL_PASSPHRASE", c.SealKey.Empty() || c.SealPassphrase.Empty(), "and VAULT_SEAL_KEY exclude each other: set one"},
		{"VAULT_ADDR", c.VaultAddr == "" || vaultAddress(c.VaultAddr),
			"must be https:// with a host and no path (http:// only on this computer)"},
		{"VAULT_AUTH_METHOD", oneOf(c.VaultAuthMethod, "approle", "kubernetes", "jwt", "cert"), "must be approle, kubernetes, jwt or cert"},
		{"VAULT_ADDR", c.VaultAddr == "" || c.VaultAuthMethod != "approle" ||
			c.VaultToken.Empty() != (c.VaultRoleID.Empty() || c.VaultSecretID.Empty()),
			"needs either VAULT_ROLE_ID and VAULT_SECRET_ID, or VAULT_TOKEN, or another VAULT_AUTH_METHOD"},
		{"VAULT_AUTH_METHOD", c.VaultAddr == "" || c.VaultAuthMethod == "approle" || c.VaultToken.Empty(),
			"and VAULT_TOKEN exclude each other: set one"},
		{"VAULT_JWT", c.VaultAddr == "" || !oneOf(c.VaultAuthMethod, "kubernetes", "jwt") || !c.VaultJWT.Empty(),
			"or VAULT_JWT_FILE is needed with VAULT_AUTH_METHOD=" + c.VaultAuthMethod},
		{"VAULT_CLIENT_CERT", c.VaultAddr == "" || c.VaultAuthMethod != "cert" || c.VaultClientCert != "" && c.VaultClientKey != "",
			"and VAULT_CLIENT_KEY are needed with VAULT_AUTH_METHOD=cert"},
		{"VAULT_AUTH_MOUNT", c.VaultAuthMount == "" || vaultName(c.VaultAuthMount),
			"must be letters, digits and -_. with single slashes between"},
		{"VAULT_AUTH_ROLE", c.VaultAuthRole == "" || vaultName(c.VaultAuthRole) && !strings.Contains(c.VaultAuthRole, "/"),
			"must be letters, digits and -_."},
		{"VAULT_ADDR", c.VaultAddr == "" || c.SealKey.Empty() && c.SealPassphrase.Empty() && c.CAImportFile == "",
			"excludes VAULT_SEAL_KEY, VAULT_SEAL_PASSPHRASE and PKI_CA_IMPORT_FILE, which are for the embedded vault"},
		{"PKI_KERBEROS_REALM", c.KerberosRealm == "" || realm.MatchString(c.KerberosRealm), "must be letters, digits and .-"},
		{"LICENSE_SERVICE_URL", c.LicenseServiceURL == "" || vaultAddress(c.LicenseServiceURL),
			"must be https:// with a host and no path (http:// only on this computer)"},
		{"LICENSE_SERVICE_URL", c.LicenseServiceURL == "" || !c.LicenseServiceToken.Empty() || c.LicenseServiceCertFile != "",
			"needs LICENSE_SERVICE_TOKEN, or LICENSE_SERVICE_CERT_FILE and LICENSE_SERVICE_KEY_FILE: the service answers nobody else"},
		{"LICENSE_SERVICE_TOKEN", c.LicenseServiceToken.Empty() || each(lines(c.LicenseServiceToken), sharedToken),
			"must have at least 16 ASCII characters, without spaces"},
		{"LICENSE_SERVICE_CERT_FILE", (c.LicenseServiceCertFile == "") == (c.LicenseServiceKeyFile == ""),
			"and LICENSE_SERVICE_KEY_FILE go together: set both or neither"},
		{"LICENSE_LISTEN", listenable(c.LicenseListen), "must be HOST:PORT or :PORT"},
		{"LICENSE_CLIENT_CA_FILE", c.LicenseClientCAFile == "" || c.TLSCertFile != "", "needs TLS_CERT_FILE and TLS_KEY_FILE"},
		{"SMTP_HELO_NAME", c.SMTPHeloName == "" || heloName(c.SMTPHeloName),
			"must be a host name such as keyward.example.org, or an address in brackets"},
		{"SMTP_OAUTH_TOKEN_FILE", (c.SMTPOAuthTokenFile == "") == (c.SMTPOAuthHost == ""),
			"and SMTP_OAUTH_HOST go together: set both or neither"},
		{"VAULT_KV_MOUNT", vaultName(c.VaultKVMount), "must be letters, digits and -_. with single slashes between"},
		{"VAULT_PKI_MOUNT", vaultName(c.VaultPKIMount), "must be letters, digits and -_. with single slashes between"},
		{"VAULT_APPROLE_MOUNT", vaultName(c.VaultAppRoleMount), "must be letters, digits and -_. with single slashes between"},
		{"VAULT_ROLE", vaultName(c.VaultRole) && !strings.Contains(c.VaultRole, "/"), "must be letters, digits and -_."},
	}
}

// realm is one in the style of a domain (RFC 4120, section 6.1).
var realm = regexp.MustCompile(`^[A-Za-z0-9.-]{1,255}$`)

var caKeyTypes = []string{string(piv.RSA2048), string(piv.RSA3072), string(piv.RSA4096), string(piv.ECP256), string(piv.ECP384)}

func subjectKeyType(t string) bool { return t == string(piv.Ed25519) || slices.Contains(caKeyTypes, t) }

func vaultAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && origin(text) && (u.Scheme == "https" || loopback.Site(text))
}

var vaultNames = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$`)

func vaultName(text string) bool {
	return vaultNames.MatchString(text) && !strings.Contains(text, "..")
}

// heloNames are what RFC 5321 (section 4.1.1.1) has in EHLO.
var heloNames = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[(IPv6:)?[0-9A-Fa-f.:]+\])$`)

func heloName(text string) bool { return len(text) <= 255 && heloNames.MatchString(text) }

func firmware(text string) bool {
	_, err := piv.ParseVersion(text)
	return err == nil
}

// validate goes through the table. A setting that could not even be parsed is
// reported already.
func (c Config) validate(reported map[string]bool) Mistakes {
	var mistakes Mistakes
	for _, r := range c.rules() {
		if !r.right && !reported[r.setting] {
			reported[r.setting] = true
			mistakes = append(mistakes, Mistake{r.setting, r.must})
		}
	}
	return mistakes
}

// derive fills in what follows from other settings.
func (c *Config) derive() {
	c.PKIBaseURL = strings.TrimSuffix(c.PKIBaseURL, "/")
	c.SiteURL = strings.TrimSuffix(c.SiteURL, "/")
	if c.SiteURL != "" && !strings.Contains(c.SiteURL, "://") {
		c.SiteURL = "https://" + c.SiteURL
	}
	if c.SiteURL != "" || !listenable(c.Listen) {
		return
	}
	if _, port, err := net.SplitHostPort(c.Listen); err == nil && port != "0" {
		c.SiteURL = c.Scheme() + "://localhost:" + port
	}
}

// PKIBase is the base of the addresses in certificates.
func (c Config) PKIBase() string { return cmp.Or(c.PKIBaseURL, c.SiteURL) }

// Scheme is what the server itself speaks: http or https.
func (c Config) Scheme() string {
	if c.TLSCertFile != "" {
		return "https"
	}
	return "http"
}

// sharedToken tells whether a line can be a token that programs share.
func sharedToken(line string) bool { return len(line) >= 16 && printable(line) }

// printable tells whether a header can carry text as it is.
func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

func oneOf(v string, of ...string) bool { return slices.Contains(of, v) }

func each(list []string, right func(string) bool) bool {
	return !slices.ContainsFunc(list, func(v string) bool { return !right(v) })
}

func between(d, least, most time.Duration) bool { return least <= d && d <= most }

func listenable(address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil || strings.ContainsAny(host, " /") {
		return false
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && strconv.FormatUint(n, 10) == port
}

// origin tells whether text is a serialised origin (RFC 6454, section 6.1):
// a browser sends it byte for byte so.
func origin(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Hostname() == "" || strings.HasSuffix(u.Host, ":") || strings.ContainsAny(u.Host, "*,") {
		return false
	}
	if port := u.Port(); port != "" && !listenable(":"+port) {
		return false
	}
	return oneOf(u.Scheme, "http", "https") && text == u.Scheme+"://"+strings.ToLower(u.Host)
}

// agentAddress: a page may only ever be sent to its own workstation.
func agentAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && origin(text) && u.Scheme == "http" && oneOf(u.Hostname(), "127.0.0.1", "localhost") && !oneOf(u.Port(), "", "0")
}

func lines(s secret.String) (texts []string) {
	for _, line := range s.Lines() {
		texts = append(texts, line.Reveal())
	}
	return texts
}

func sealKey(text string) bool {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	return err == nil && len(raw) == 32
}

// receiver tells whether text is the address of a syslog receiver; package
// siem reads it.
func receiver(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" {
		return false
	}
	if u.Scheme == "unix" {
		return u.Host == "" && len(u.Path) > 1
	}
	return oneOf(u.Scheme, "udp", "tcp", "tls") && u.Hostname() != "" && u.Path == "" && u.Port() != "0" && listenable(":"+u.Port())
}
