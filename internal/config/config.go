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
	Data    string `env:"DATA" parts:"serve backend database move-from license" envDefault:"data" flag:"data" section:"Server" help:"Directory of the database, the vault and the keys. Created with mode 0700 when absent."`
	Listen  string `env:"LISTEN" parts:"serve backend frontend" envDefault:":8080" flag:"listen" help:"Address to serve on, HOST:PORT or :PORT. Port 0 takes a free one."`
	SiteURL string `env:"SITE_URL" parts:"serve backend frontend vault-setup move" help:"Public base of all addresses that are handed out, without a path; a bare domain means https. It stands in every certificate for good, so set it before the first one. Empty: localhost and the port of LISTEN."`

	TLSCertFile string `env:"TLS_CERT_FILE" parts:"serve backend frontend license" help:"PEM file with the server's certificate and those above it: it then speaks https (TLS 1.2 or newer, HTTP/2), without a proxy. A new pair is taken over as soon as the files change. Empty: http."`
	TLSKeyFile  string `env:"TLS_KEY_FILE" parts:"serve backend frontend license" help:"PEM file with the private key of TLS_CERT_FILE."`

	AllowedOrigins  []string       `env:"ALLOWED_ORIGINS" help:"Origins of other sites whose pages may use the API, comma-separated, each exactly scheme://host[:port]. SITE_URL itself needs no entry."`
	TrustedProxies  []netip.Prefix `env:"TRUSTED_PROXIES" parts:"serve backend frontend" envDefault:"127.0.0.0/8,::1/128" help:"Networks (CIDR, comma-separated) of the load balancers whose X-Real-IP, X-Forwarded-Proto and X-Forwarded-Port count. One that is missing here is named once in the log."`
	AgentURL        string         `env:"AGENT_URL" parts:"serve frontend" envDefault:"http://127.0.0.1:56123" help:"Where the agent listens on every workstation, as its --listen says: http://127.0.0.1:PORT or http://localhost:PORT. The page connects to that port of the workstation alone."`
	DownloadsDir    string         `env:"DOWNLOADS_DIR" parts:"serve frontend" help:"Directory of the agent's programs that the page offers: keyward-agent itself, with a platform or an ending such as .exe or .deb. Empty: the directory of the keyward program."`
	MetricsListen   string         `env:"METRICS_LISTEN" envDefault:"127.0.0.1:9464" help:"Address of the metrics (Prometheus, GET /metrics), or off. Keep it internal: nobody signs in there."`
	ShutdownTimeout time.Duration  `env:"SHUTDOWN_TIMEOUT" parts:"serve backend frontend license" envDefault:"30s" help:"How long requests in flight may take to finish when the server stops."`
	DrainDelay      time.Duration  `env:"DRAIN_DELAY" parts:"serve backend frontend" envDefault:"0s" help:"How long a server that is told to stop goes on taking requests while /readyz says that it will, so that load balancers which ask that have turned away before it closes; 0s to 10m. One server alone needs none."`
	LogLevel        slog.Level     `env:"LOG_LEVEL" parts:"serve backend frontend license" envDefault:"INFO" help:"DEBUG, INFO, WARN or ERROR."`
	LogFormat       string         `env:"LOG_FORMAT" parts:"serve backend frontend license" envDefault:"json" help:"json or text; to standard error."`
	AccessLog       bool           `env:"ACCESS_LOG" parts:"serve backend frontend" envDefault:"true" help:"Log one line per request, at level INFO; of health checks and PKI files only what fails, the rest at DEBUG."`

	DatabaseURL                    secret.String `env:"DATABASE_URL" parts:"serve backend database move" section:"PostgreSQL" help:"PostgreSQL database that is used instead of the file in DATA, for several servers: postgres://USER:PASSWORD@HOST:PORT/NAME and libpq's parameters, such as ?sslmode=verify-full&sslrootcert=FILE. Several hosts, separated by commas, are tried in turn, and the one that takes changes is used. Empty: the embedded database."`
	DatabaseMaxConnections         int           `env:"DATABASE_MAX_CONNECTIONS" parts:"serve backend database move" envDefault:"20" help:"How many connections to PostgreSQL this server holds at most, 4 to 1000, and one more for the lead among several servers."`
	DatabaseConnectTimeout         time.Duration `env:"DATABASE_CONNECT_TIMEOUT" parts:"serve backend database move" envDefault:"5s" help:"How long a connection to PostgreSQL may take to be made."`
	DatabaseStatementTimeout       time.Duration `env:"DATABASE_STATEMENT_TIMEOUT" parts:"serve backend database move" envDefault:"30s" help:"How long PostgreSQL may work on one statement; of a write, 30 seconds at most. Migrations have no limit."`
	DatabaseLockTimeout            time.Duration `env:"DATABASE_LOCK_TIMEOUT" parts:"serve backend database move" envDefault:"10s" help:"How long a statement may wait for what another has locked."`
	DatabaseIdleTransactionTimeout time.Duration `env:"DATABASE_IDLE_TRANSACTION_TIMEOUT" parts:"serve backend database move" envDefault:"15s" help:"After how long PostgreSQL ends a transaction in which nothing happens, and frees its locks: so it is when a server dies."`

	AccessTokenMinutes   int           `env:"ACCESS_TOKEN_EXPIRE_MINUTES" envDefault:"30" section:"Signing in" help:"Life of an access token in minutes."`
	SessionLifetime      time.Duration `env:"SESSION_LIFETIME" envDefault:"1h" help:"Life of a session."`
	RefreshTokenLifetime time.Duration `env:"REFRESH_TOKEN_LIFETIME" envDefault:"168h" help:"How long after signing in refresh tokens work."`
	DeviceBinding        string        `env:"DEVICE_BINDING" envDefault:"log" help:"What happens to an access or refresh token that comes from another User-Agent than it was given to: log, strict (refused) or off."`
	AgentTrust           string        `env:"AGENT_TRUST" envDefault:"first-use" help:"When people have to compare the code of a workstation's agent that they have not used before: first-use (of every one but their first) or confirm (of the first, too)."`
	PasswordMinLength    int           `env:"PASSWORD_MIN_LENGTH" parts:"serve backend database" envDefault:"8" help:"Least number of characters of a password, 8 to 64."`
	Argon2Concurrency    int           `env:"ARGON2_CONCURRENCY" envDefault:"2" help:"How many passwords are hashed at once; each takes ARGON2_MEMORY_MIB of memory for that time. Others wait up to 5 seconds, or are told at once to come back."`
	Argon2MemoryMiB      int           `env:"ARGON2_MEMORY_MIB" parts:"serve backend database" envDefault:"64" help:"Memory of a password hash in MiB, 19 to 1024. A changed value reaches each account at its next sign-in."`
	Argon2Passes         int           `env:"ARGON2_PASSES" parts:"serve backend database" envDefault:"1" help:"Passes of a password hash over its memory, 1 to 10."`
	AdminPassword        secret.String `env:"KEYWARD_ADMIN_PASSWORD" help:"Password of the account admin, at the first start only. Empty: a random one is printed once and must be changed."`

	AuditFile         string `env:"AUDIT_FILE" section:"Audit log" help:"File that every entry of the audit log is appended to as a line of JSON, for a SIEM. Made with mode 0600; when log rotation has renamed it, a new one is begun. Empty: none."`
	AuditSyslog       string `env:"AUDIT_SYSLOG" help:"Receiver of every entry by syslog (RFC 5424): udp://HOST:PORT, tcp://HOST:PORT, tls://HOST:PORT or unix:///dev/log. Only tcp and tls deliver each entry for certain. Empty: none."`
	AuditSyslogCAFile string `env:"AUDIT_SYSLOG_CA_FILE" help:"PEM file with the roots of the receiver's certificate. Empty: the system's."`

	SessionRate   Rate `env:"RATE_LIMIT_SESSION" envDefault:"600/100" section:"Rate limits" help:"Requests of one session: so many a minute/so many at once, or off."`
	AnonymousRate Rate `env:"RATE_LIMIT_ANONYMOUS" envDefault:"120/40" help:"Requests of one address without a valid token. An IPv6 address counts by its /64."`
	LoginRate     Rate `env:"RATE_LIMIT_LOGIN" envDefault:"300/100" help:"Sign-ins and refreshes of one address."`
	OpenRate      Rate `env:"RATE_LIMIT_OPEN" envDefault:"6000/1000" help:"Requests of one address for /health, /api/health and /api/pki."`

	ReleaseLimit int `env:"RELEASE_LIMIT_PER_HOUR" envDefault:"20" help:"How many different tokens of others are released to one person (PIN, PUK, management key), or signed for without an attestation, within an hour, 1 to 10000. One's own tokens do not count."`

	CAKeyType            string        `env:"PKI_CA_KEY_TYPE" parts:"serve backend vault-setup move" envDefault:"rsa-3072" section:"Certificate authority" help:"Key of a new CA: rsa-2048, rsa-3072, rsa-4096, ec-p256 or ec-p384."`
	KeyTypes             []string      `env:"PKI_KEY_TYPES" envDefault:"rsa-2048" help:"Keys that certificates are signed for, comma-separated: the above and ed25519."`
	SubjectPolicy        string        `env:"PKI_SUBJECT_POLICY" envDefault:"owner" help:"Names in a certificate: owner (only the token owner's username or email) or any (what the CSR asks for)."`
	CertTTL              time.Duration `env:"PKI_CERT_TTL" envDefault:"8760h" help:"Life of a certificate, 1h to 87600h; none outlives the CA. With VAULT_ADDR its role decides instead."`
	Attestation          string        `env:"PKI_ATTESTATION" envDefault:"verify" help:"Proof that a key was made on its token: verify (without it, signing is as strict as a release of secrets), require (without it, nothing is signed) or off (none is looked at; every key counts as without)."`
	AttestationRootsFile string        `env:"PKI_ATTESTATION_ROOTS_FILE" help:"PEM file with CAs that are trusted beside Yubico's to sign the attestation certificates (F9) of tokens, for example of keyward-vtoken root."`
	FirmwareMinimum      string        `env:"PKI_FIRMWARE_MINIMUM" help:"Oldest firmware whose keys are certified, such as 5.4.3: the attested one, else the one on the token's record; unknown is refused. Empty: any, but RSA keys of 4.2.0 to 4.3.4 are always refused."`
	CAImportFile         string        `env:"PKI_CA_IMPORT_FILE" help:"PEM file with an existing CA, certificate and private key, taken over at the first start."`

	VaultAddr         string        `env:"VAULT_ADDR" parts:"serve backend vault-setup move license" section:"Vault" help:"Address of a HashiCorp Vault or OpenBao that keeps secrets and signs certificates, https://HOST:PORT (http:// on this machine alone). Prepare it with keyward vault setup. Empty: the vault embedded in the server."`
	VaultNamespace    string        `env:"VAULT_NAMESPACE" parts:"serve backend vault-setup move license" help:"Namespace in it. Empty: none."`
	VaultCACert       string        `env:"VAULT_CACERT" parts:"serve backend vault-setup move license" help:"PEM file with the roots of its certificate. Empty: the system's."`
	VaultRoleID       secret.String `env:"VAULT_ROLE_ID" parts:"serve backend license" help:"Role id of the AppRole that the server logs in as. Its file, and those of the next two, are read anew at each login."`
	VaultSecretID     secret.String `env:"VAULT_SECRET_ID" parts:"serve backend license" help:"Secret id of that AppRole."`
	VaultToken        secret.String `env:"VAULT_TOKEN" parts:"serve backend vault-setup move license" help:"Token, instead of an AppRole. For keyward vault setup: an operator's."`
	VaultKVMount      string        `env:"VAULT_KV_MOUNT" parts:"serve backend vault-setup move license" envDefault:"hwkeys" help:"Where its KV engine (version 2) is mounted."`
	VaultPKIMount     string        `env:"VAULT_PKI_MOUNT" parts:"serve backend vault-setup move license" envDefault:"pki" help:"Where its PKI engine is mounted."`
	VaultAppRoleMount string        `env:"VAULT_APPROLE_MOUNT" parts:"serve backend vault-setup move license" envDefault:"approle" help:"Where its AppRole auth method is enabled."`
	VaultRole         string        `env:"VAULT_ROLE" parts:"serve backend vault-setup move license" envDefault:"keyward" help:"Name of the PKI role, of the AppRole and of the policy."`

	SealKey        secret.String `env:"VAULT_SEAL_KEY" parts:"serve backend move-from license" help:"Key of the embedded vault, base64 of 32 bytes. Empty, and no passphrase: a key file in the data directory, made at the first start."`
	SealPassphrase secret.String `env:"VAULT_SEAL_PASSPHRASE" parts:"serve backend move-from license" help:"Passphrase that the vault's key is derived from, instead of VAULT_SEAL_KEY; at least 12 characters."`

	LicenseServiceURL      string        `env:"LICENSE_SERVICE_URL" section:"License service" help:"License service (keyward license) that is asked instead of this process, https://HOST:PORT (http:// on this machine alone). Empty: the license is kept in this process, in the vault."`
	LicenseServiceToken    secret.String `env:"LICENSE_SERVICE_TOKEN" parts:"serve backend license" help:"Secret that the backend shows to the license service, the same for both; at least 16 characters. Empty: they know each other by certificates alone."`
	LicenseServiceCAFile   string        `env:"LICENSE_SERVICE_CA_FILE" help:"PEM file with the roots of the license service's certificate. Empty: the system's."`
	LicenseServiceCertFile string        `env:"LICENSE_SERVICE_CERT_FILE" help:"PEM file with the certificate that the backend shows to the license service. Empty: none."`
	LicenseServiceKeyFile  string        `env:"LICENSE_SERVICE_KEY_FILE" help:"PEM file with the private key of LICENSE_SERVICE_CERT_FILE."`
	LicenseListen          string        `env:"LICENSE_LISTEN" parts:"license" envDefault:"127.0.0.1:8091" flag:"listen" help:"Address that the license service listens on, HOST:PORT: of this machine alone or of a private network."`
	LicenseListenAnywhere  bool          `env:"LICENSE_LISTEN_ANYWHERE" parts:"license" envDefault:"false" help:"Lets LICENSE_LISTEN be any address, such as 0.0.0.0 in a container. Then something else has to keep the rest of the world away."`
	LicenseClientCAFile    string        `env:"LICENSE_CLIENT_CA_FILE" parts:"license" help:"PEM file with the roots of the backends' certificates: who shows none is refused (mutual TLS). It needs TLS_CERT_FILE. Empty: LICENSE_SERVICE_TOKEN alone."`

	BackupDirectory string `env:"BACKUP_DIRECTORY" section:"Backups" help:"Directory that backups are kept in while the settings name no bucket; made with mode 0700 when absent. Empty: backups in DATA. Mount another disk there, or copy it elsewhere: what destroys this machine destroys it, too."`

	BackendURL string `env:"BACKEND_URL" parts:"frontend" flag:"backend" section:"Frontend alone" help:"Backend that requests below /api are passed on to, http:// or https:// with a host. It must count this server among its TRUSTED_PROXIES. Empty: the proxy in front routes them."`

	WebhookAllowedNetworks []netip.Prefix `env:"WEBHOOK_ALLOWED_NETWORKS" section:"Webhooks" help:"Networks (CIDR, comma-separated) that webhooks may reach although they are not public, for example 10.1.0.0/16. Empty: the public internet alone."`
	WebhookCAFile          string         `env:"WEBHOOK_CA_FILE" help:"PEM file with the roots of internal receivers' certificates, trusted beside the system's."`

	// Program is no setting: as which this program was started, when it is keyward and
	// may start itself for a piece of its work. Empty: it does all of it.
	Program string `env:"-"`

	// Patience is no setting: how long clients may take over a body and over its
	// answer, and the license service over its own, in tests on machines of any
	// speed. Zero: what the server gives them.
	Patience time.Duration `env:"-"`

	// Files is no setting: where each secret that came from a file came from, by
	// the setting's name, for whoever reads it anew.
	Files map[string]string `env:"-"`
}
