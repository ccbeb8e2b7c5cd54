// Package config reads the server's settings: one struct, whose tags are the
// manual, filled from four sources. A flag beats the environment, that beats
// the file of --config, that beats the default.
//
//	Load ── gather sources ─▶ parse ─▶ validate ─▶ Config
//
// Every mistake is reported at once, each with the name of its setting and
// never with the value (Mistakes). Secrets are secret.String; each may come
// from a file named by NAME_FILE instead.
package config

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/keyward/keyward/internal/secret"
)

// Config is every setting. The tags of a field: env, its name in the
// environment and in the file; envDefault; flag, when there is one; section,
// where a new group begins; parts, the commands that take it when they are not
// serve and backend; help, its line in the manual. One without a name is none.
type Config struct {
	Data    string `env:"DATA" parts:"serve backend database move-from license" envDefault:"data" flag:"data" section:"Server" help:"Directory for the database, the vault and the keys. If it doesn't exist, it is created with mode 0700."`
	Listen  string `env:"LISTEN" parts:"serve backend frontend" envDefault:":8080" flag:"listen" help:"Address to listen on, HOST:PORT or :PORT. Port 0 picks a free one."`
	SiteURL string `env:"SITE_URL" parts:"serve backend frontend vault-setup move" help:"Public base URL, without a path; a bare domain means https. It is permanently part of every certificate, so set it before you issue the first one. Empty: localhost and the port of LISTEN."`

	TLSCertFile string `env:"TLS_CERT_FILE" parts:"serve backend frontend license" help:"PEM file with the server's certificate and the intermediate certificates. The server then uses https (TLS 1.2 or later, HTTP/2), without a proxy. It picks up a new pair as soon as the files change. Empty: http."`
	TLSKeyFile  string `env:"TLS_KEY_FILE" parts:"serve backend frontend license" help:"PEM file with the private key for TLS_CERT_FILE."`

	AllowedOrigins  []string       `env:"ALLOWED_ORIGINS" help:"Origins of other sites whose pages may use the API, comma-separated, each exactly scheme://host[:port]. SITE_URL itself needs no entry."`
	TrustedProxies  []netip.Prefix `env:"TRUSTED_PROXIES" parts:"serve backend frontend" envDefault:"127.0.0.0/8,::1/128" help:"Networks (CIDR, comma-separated) of your load balancers, whose X-Real-IP, X-Forwarded-Proto and X-Forwarded-Port the server believes. If one is missing here, the log names it once."`
	AgentURL        string         `env:"AGENT_URL" parts:"serve frontend" envDefault:"http://127.0.0.1:56123" help:"Where the agent listens on every workstation, the same as its --listen: http://127.0.0.1:PORT or http://localhost:PORT. The page connects only to that port of the workstation."`
	DownloadsDir    string         `env:"DOWNLOADS_DIR" parts:"serve frontend" help:"Directory with the agent's programs that the page offers: keyward-agent itself, with a platform or an ending such as .exe or .deb. Empty: the directory of the keyward program."`
	MetricsListen   string         `env:"METRICS_LISTEN" envDefault:"127.0.0.1:9464" help:"Address for metrics (Prometheus, GET /metrics), or off. Keep it internal: it needs no sign-in."`
	ShutdownTimeout time.Duration  `env:"SHUTDOWN_TIMEOUT" parts:"serve backend frontend license" envDefault:"30s" help:"How long requests in progress can take to finish when the server stops."`
	DrainDelay      time.Duration  `env:"DRAIN_DELAY" parts:"serve backend frontend" envDefault:"0s" help:"How long a stopping server keeps taking requests while /readyz already fails, so that load balancers can switch to other servers first; 0s to 10m. A single server needs none."`
	LogLevel        slog.Level     `env:"LOG_LEVEL" parts:"serve backend frontend license" envDefault:"INFO" help:"DEBUG, INFO, WARN or ERROR."`
	LogFormat       string         `env:"LOG_FORMAT" parts:"serve backend frontend license" envDefault:"json" help:"json or text. Logs go to standard error."`
	AccessLog       bool           `env:"ACCESS_LOG" parts:"serve backend frontend" envDefault:"true" help:"Log one line per request, at level INFO. Successful health checks and PKI downloads are logged at DEBUG."`

	DatabaseURL                    secret.String `env:"DATABASE_URL" parts:"serve backend database move" section:"PostgreSQL" help:"PostgreSQL database to use instead of the file in DATA, so that several servers can share it: postgres://USER:PASSWORD@HOST:PORT/NAME with libpq's parameters, such as ?sslmode=verify-full&sslrootcert=FILE. With several hosts, separated by commas, the server uses the first one that accepts writes. Empty: the embedded database."`
	DatabaseMaxConnections         int           `env:"DATABASE_MAX_CONNECTIONS" parts:"serve backend database move" envDefault:"20" help:"Maximum number of connections from this server to PostgreSQL, 4 to 1000. With several servers, each holds one more for the lead."`
	DatabaseConnectTimeout         time.Duration `env:"DATABASE_CONNECT_TIMEOUT" parts:"serve backend database move" envDefault:"5s" help:"How long connecting to PostgreSQL can take."`
	DatabaseStatementTimeout       time.Duration `env:"DATABASE_STATEMENT_TIMEOUT" parts:"serve backend database move" envDefault:"30s" help:"How long PostgreSQL can work on one statement; for a write, 30 seconds at most. Migrations have no limit."`
	DatabaseLockTimeout            time.Duration `env:"DATABASE_LOCK_TIMEOUT" parts:"serve backend database move" envDefault:"10s" help:"How long a statement can wait for a lock."`
	DatabaseIdleTransactionTimeout time.Duration `env:"DATABASE_IDLE_TRANSACTION_TIMEOUT" parts:"serve backend database move" envDefault:"15s" help:"How long a transaction can be idle before PostgreSQL ends it and releases its locks, for example when a server has died."`

	AccessTokenMinutes   int           `env:"ACCESS_TOKEN_EXPIRE_MINUTES" envDefault:"30" section:"Signing in" help:"Lifetime of an access token, in minutes."`
	SessionLifetime      time.Duration `env:"SESSION_LIFETIME" envDefault:"1h" help:"Lifetime of a session."`
	RefreshTokenLifetime time.Duration `env:"REFRESH_TOKEN_LIFETIME" envDefault:"168h" help:"How long after signing in refresh tokens work."`
	DeviceBinding        string        `env:"DEVICE_BINDING" envDefault:"log" help:"What happens if an access or refresh token comes from another User-Agent than the one it was issued to: log, strict (refuse it) or off."`
	AgentTrust           string        `env:"AGENT_TRUST" envDefault:"first-use" help:"When people have to compare the code of an agent that they haven't used before: first-use (for every agent except their first) or confirm (for the first, too)."`
	PasswordMinLength    int           `env:"PASSWORD_MIN_LENGTH" parts:"serve backend database" envDefault:"8" help:"Minimum length of a password in characters, 8 to 64."`
	Argon2Concurrency    int           `env:"ARGON2_CONCURRENCY" envDefault:"2" help:"How many passwords are hashed at once; each takes ARGON2_MEMORY_MIB of memory meanwhile. Further sign-ins wait up to 5 seconds, or are refused immediately."`
	Argon2MemoryMiB      int           `env:"ARGON2_MEMORY_MIB" parts:"serve backend database" envDefault:"64" help:"Memory per password hash in MiB, 19 to 1024. A new value applies to each account from its next sign-in."`
	Argon2Passes         int           `env:"ARGON2_PASSES" parts:"serve backend database" envDefault:"1" help:"Passes of a password hash over its memory, 1 to 10."`
	AdminPassword        secret.String `env:"KEYWARD_ADMIN_PASSWORD" help:"Password of the account admin, used only at the first start. Empty: a random one is printed once, and must be changed."`

	AuditFile         string `env:"AUDIT_FILE" section:"Audit log" help:"File to which every audit log entry is appended, one JSON object per line, for a SIEM. Created with mode 0600; after log rotation has renamed it, a new one is started. Empty: none."`
	AuditSyslog       string `env:"AUDIT_SYSLOG" help:"Syslog receiver (RFC 5424) for every audit log entry: udp://HOST:PORT, tcp://HOST:PORT, tls://HOST:PORT or unix:///dev/log. Only tcp and tls deliver every entry reliably. Empty: none."`
	AuditSyslogCAFile string `env:"AUDIT_SYSLOG_CA_FILE" help:"PEM file with the roots for the receiver's certificate. Empty: the system's."`

	SessionRate   Rate `env:"RATE_LIMIT_SESSION" envDefault:"600/100" section:"Rate limits" help:"Requests per session: PER-MINUTE/BURST, or off."`
	AnonymousRate Rate `env:"RATE_LIMIT_ANONYMOUS" envDefault:"120/40" help:"Requests per address without a valid token. IPv6 addresses count by their /64."`
	LoginRate     Rate `env:"RATE_LIMIT_LOGIN" envDefault:"300/100" help:"Sign-ins and refreshes per address."`
	OpenRate      Rate `env:"RATE_LIMIT_OPEN" envDefault:"6000/1000" help:"Requests per address for /health, /api/health and /api/pki."`

	ReleaseLimit int `env:"RELEASE_LIMIT_PER_HOUR" envDefault:"20" help:"The maximum number of other people's tokens for which a person can get secrets (PIN, PUK, management key), or a signature without an attestation, per hour, 1 to 10000. Their own tokens don't count."`

	CAKeyType            string        `env:"PKI_CA_KEY_TYPE" parts:"serve backend vault-setup move" envDefault:"rsa-3072" section:"Certificate authority" help:"Key of a new CA: rsa-2048, rsa-3072, rsa-4096, ec-p256 or ec-p384."`
	KeyTypes             []string      `env:"PKI_KEY_TYPES" envDefault:"rsa-2048" help:"Keys for which certificates are signed, comma-separated: the above and ed25519."`
	SubjectPolicy        string        `env:"PKI_SUBJECT_POLICY" envDefault:"owner" help:"Names in a certificate: owner (only the token owner's username or email) or any (what the CSR asks for)."`
	CertTTL              time.Duration `env:"PKI_CERT_TTL" envDefault:"8760h" help:"Lifetime of a certificate, 1h to 87600h; none outlives the CA. With VAULT_ADDR, the Vault role decides instead."`
	Attestation          string        `env:"PKI_ATTESTATION" envDefault:"verify" help:"Proof that a key was created on its token: verify (without it, signing is as strict as a release of secrets), require (without it, nothing is signed) or off (attestations are ignored, and every key counts as having none)."`
	AttestationRootsFile string        `env:"PKI_ATTESTATION_ROOTS_FILE" help:"PEM file with CAs that are trusted, in addition to Yubico's, to sign tokens' attestation certificates (F9), for example from keyward-vtoken root."`
	FirmwareMinimum      string        `env:"PKI_FIRMWARE_MINIMUM" help:"Oldest firmware whose keys are certified, such as 5.4.3. The attested version counts or, without one, the version on the token's record; an unknown version is refused. Empty: any, except that RSA keys of 4.2.0 to 4.3.4 are always refused."`
	PKIBaseURL           string        `env:"PKI_BASE_URL" parts:"serve backend vault-setup move" help:"Base URL, without a path, of the revocation list and the CA certificate in certificates. Plain http is right here, since many programs fetch no list over https: have a proxy forward /api/pki/ from there to this server. It is permanently part of every certificate. Empty: SITE_URL."`
	OCSP                 string        `env:"PKI_OCSP" parts:"serve backend vault-setup move" envDefault:"off" help:"The OCSP address in new certificates: on or off. Keyward answers OCSP requests in any case."`
	OCSPTTL              time.Duration `env:"PKI_OCSP_TTL" envDefault:"1h" help:"How long an OCSP answer is valid, 10m to 168h. Keyward's own answers show a revocation within a second; programs may keep an earlier answer for this long."`
	KerberosRealm        string        `env:"PKI_KERBEROS_REALM" help:"The Kerberos realm in certificates to log on with, in its own case, such as CORP.EXAMPLE; an organization may have its own."`
	ParentCRLFiles       []string      `env:"PKI_PARENT_CRL_FILES" help:"Files with the revocation lists of the CAs above Keyward's own, PEM or DER, separated by commas; published at /api/pki/parent-crl and read again when they change. nginx and others want a list of every CA up to the root."`
	CRLValidity          time.Duration `env:"PKI_CRL_VALIDITY" parts:"serve backend vault-setup move" envDefault:"48h" help:"How long a revocation list is valid, 25h to 720h. A new one is signed at every revocation, and every hour; programs may keep an earlier one for this long."`
	CAImportFile         string        `env:"PKI_CA_IMPORT_FILE" help:"PEM file with an existing CA, certificate and private key, to import at the first start."`

	VaultAddr         string        `env:"VAULT_ADDR" parts:"serve backend vault-setup move license" section:"Vault" help:"Address of a HashiCorp Vault or OpenBao that keeps secrets and signs certificates, https://HOST:PORT (http:// on this machine only). Prepare it with keyward vault setup. Empty: the vault embedded in the server."`
	VaultNamespace    string        `env:"VAULT_NAMESPACE" parts:"serve backend vault-setup move license" help:"Namespace in that Vault. Empty: none."`
	VaultCACert       string        `env:"VAULT_CACERT" parts:"serve backend vault-setup move license" help:"PEM file with the roots for the Vault's certificate. Empty: the system's."`
	VaultRoleID       secret.String `env:"VAULT_ROLE_ID" parts:"serve backend license" help:"Role ID of the AppRole that the server uses to log in. Its file, and those of the next two settings, are read again at each login."`
	VaultSecretID     secret.String `env:"VAULT_SECRET_ID" parts:"serve backend license" help:"Secret ID of that AppRole."`
	VaultToken        secret.String `env:"VAULT_TOKEN" parts:"serve backend vault-setup move license" help:"Token, instead of an AppRole. For keyward vault setup: an operator's."`
	VaultAuthMethod   string        `env:"VAULT_AUTH_METHOD" parts:"serve backend license" envDefault:"approle" help:"How the server logs in without VAULT_TOKEN: approle, kubernetes, jwt or cert (a TLS client certificate)."`
	VaultAuthMount    string        `env:"VAULT_AUTH_MOUNT" parts:"serve backend license" help:"Where that auth method is enabled. Empty: at its own name, an AppRole at VAULT_APPROLE_MOUNT."`
	VaultAuthRole     string        `env:"VAULT_AUTH_ROLE" parts:"serve backend license" help:"Its role there, for kubernetes, jwt and cert. Empty: VAULT_ROLE."`
	VaultJWT          secret.String `env:"VAULT_JWT" parts:"serve backend license" help:"Token for kubernetes and jwt. Its file is read again at each login; for kubernetes, that is the service account's unless you set another."`
	VaultClientCert   string        `env:"VAULT_CLIENT_CERT" parts:"serve backend license" help:"PEM file of the client certificate, for cert. Read again at each login."`
	VaultClientKey    string        `env:"VAULT_CLIENT_KEY" parts:"serve backend license" help:"PEM file with the private key for VAULT_CLIENT_CERT."`
	VaultKVMount      string        `env:"VAULT_KV_MOUNT" parts:"serve backend vault-setup move license" envDefault:"hwkeys" help:"Where the KV engine (version 2) is mounted."`
	VaultPKIMount     string        `env:"VAULT_PKI_MOUNT" parts:"serve backend vault-setup move license" envDefault:"pki" help:"Where the PKI engine is mounted."`
	VaultAppRoleMount string        `env:"VAULT_APPROLE_MOUNT" parts:"serve backend vault-setup move license" envDefault:"approle" help:"Where the AppRole auth method is enabled."`
	VaultRole         string        `env:"VAULT_ROLE" parts:"serve backend vault-setup move license" envDefault:"keyward" help:"Name of the PKI role, the AppRole and the policy."`

	SealKey        secret.String `env:"VAULT_SEAL_KEY" parts:"serve backend move-from license" help:"Key of the embedded vault, base64 of 32 bytes. If this and the passphrase are empty: a key file in the data directory, created at the first start."`
	SealPassphrase secret.String `env:"VAULT_SEAL_PASSPHRASE" parts:"serve backend move-from license" help:"Passphrase from which the vault's key is derived, instead of VAULT_SEAL_KEY; at least 12 characters."`

	LicenseServiceURL      string        `env:"LICENSE_SERVICE_URL" section:"License service" help:"License service (keyward license) to ask, https://HOST:PORT (http:// on this machine only). Empty: this process keeps the license itself, in the vault."`
	LicenseServiceToken    secret.String `env:"LICENSE_SERVICE_TOKEN" parts:"serve backend license" help:"Secret with which backends authenticate to the license service, the same on both; at least 16 characters. With the new one on a second line of its file, the service accepts both. Empty: they use certificates only."`
	LicenseServiceCAFile   string        `env:"LICENSE_SERVICE_CA_FILE" help:"PEM file with the roots for the license service's certificate. Empty: the system's."`
	LicenseServiceCertFile string        `env:"LICENSE_SERVICE_CERT_FILE" help:"PEM file with the certificate with which the backend authenticates to the license service. Empty: none."`
	LicenseServiceKeyFile  string        `env:"LICENSE_SERVICE_KEY_FILE" help:"PEM file with the private key for LICENSE_SERVICE_CERT_FILE."`
	LicenseListen          string        `env:"LICENSE_LISTEN" parts:"license" envDefault:"127.0.0.1:8091" flag:"listen" help:"Address on which the license service listens, HOST:PORT, on this machine or in a private network."`
	LicenseListenAnywhere  bool          `env:"LICENSE_LISTEN_ANYWHERE" parts:"license" envDefault:"false" help:"Allows any address in LICENSE_LISTEN, such as 0.0.0.0 in a container. Something else must then keep others out."`
	LicenseClientCAFile    string        `env:"LICENSE_CLIENT_CA_FILE" parts:"license" help:"PEM file with the roots for the backends' certificates; clients without one are refused (mutual TLS). Requires TLS_CERT_FILE. Empty: LICENSE_SERVICE_TOKEN only."`

	BackupDirectory string `env:"BACKUP_DIRECTORY" section:"Backups" help:"Directory for backups if the backup settings name no bucket; if it doesn't exist, it is created with mode 0700. Empty: backups in DATA. Mount another disk there, or copy the files elsewhere: anything that destroys this machine also destroys them."`

	S3CAFile string `env:"S3_CA_FILE" help:"PEM file with the roots for the S3 store's certificate, trusted in addition to the system's. keyward restore --key uses it, too."`

	SMTPHeloName       string `env:"SMTP_HELO_NAME" section:"Mail" help:"Name by which the server introduces itself to the SMTP server (EHLO): a host name that DNS has for this server, or an address in brackets. Empty: the host in SITE_URL."`
	SMTPOAuthTokenFile string `env:"SMTP_OAUTH_TOKEN_FILE" help:"File with an OAuth access token for the SMTP server, kept up to date by another program, for a server that accepts no passwords (XOAUTH2). It is read again at each sign-in. Empty: none."`
	SMTPOAuthHost      string `env:"SMTP_OAUTH_HOST" help:"The SMTP server that is given this token, and no other, as in the mail settings, such as smtp.office365.com."`

	BackendURL string `env:"BACKEND_URL" parts:"frontend" flag:"backend" section:"Frontend alone" help:"Backend to which requests below /api are forwarded, http:// or https:// with a host. Its TRUSTED_PROXIES must include this server. Empty: the proxy in front routes them."`

	WebhookAllowedNetworks []netip.Prefix `env:"WEBHOOK_ALLOWED_NETWORKS" section:"Webhooks" help:"Networks (CIDR, comma-separated) that webhooks can reach although they aren't public, for example 10.1.0.0/16. Empty: the public internet only."`
	WebhookCAFile          string         `env:"WEBHOOK_CA_FILE" help:"PEM file with the roots for internal receivers' certificates, trusted in addition to the system's."`

	// Files is no setting: where each secret that came from a file came from, by
	// the setting's name, for whoever reads it anew.
	Files map[string]string `env:"-"`
	// OpenTelemetry is no setting of Keyward either: the file's OTEL_… variables, for its library,
	// which reads the environment itself. One may hold a collector's token.
	OpenTelemetry map[string]secret.String `env:"-"`
}
