package roles

import (
	"crypto/x509"
	"testing"

	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/server"
)

// done is an allowed try with its context.
type done struct {
	cell
	params map[string]string // of the path, and extra ones of the probe
	body   any
	answer server.Response
	seen   server.Response // what is judged: the response, or what somebody sees afterwards
}

// effect returns what an allowed try failed to do, as the global admin who built the
// fixture sees it; "" if all is well.
type effect func(t *testing.T, c *fixture, d done) string

// effects has an entry for each operation.
var effects = map[string]effect{
	"login":           signedIn,
	"refresh":         signedIn,
	"change-password": passwordWorks("changed pass phrase", 200),
	"invitation":      holds(`"ok"`),         // TestInvitation signs in with it
	"invited":         holds(`"expires_at"`), // TestInvitation compares the name
	"health":          tells(fields{"status": "ok", "database": "connected", "vault": "connected"}),
	"live":            tells(fields{"status": "ok"}),
	"ready":           tells(fields{"status": "ok"}),
	"get-crl":         parses(func(der []byte) error { _, err := x509.ParseRevocationList(der); return err }),
	"get-crl-status":  tells(fields{"cached": true}),
	"get-crl-of":      parses(func(der []byte) error { _, err := x509.ParseRevocationList(der); return err }),
	"get-parent-crl":  holds(""),
	"get-ca":          parses(isCA),
	"get-ca-of":       parses(isCA),
	"get-ca-der":      parses(func(der []byte) error { _, err := x509.ParseCertificate(der); return err }),
	"get-ca-chain":    parses(isCA),
	"get-ocsp":        holds("0\x03\n\x01\x01"), // malformedRequest; internal/ocsp has the others
	"post-ocsp":       holds("0\x03\n\x01\x01"),
	"openapi":         holds("operationId: sign-csr"),
	"auth-config":     tells(fields{"local_login": true}),
	"oidc-start":      holds("/login"), // there is no provider here: test/oidc has one
	"oidc-callback":   holds("/login"),
	"oidc-exchange":   has("code"),

	"me":             every(tells(fields{"username": "{actor}"}), permitted),
	"logout":         every(nobodyAnymore, logged("auth.logout")),
	"reauthenticate": logged("auth.reauthenticated"),
	"list-notices":   holds("agent_replaced"),
	"read-notice":    every(has("read_at"), isRead),

	"list-views":  holds(`"query":"show=30"`),
	"create-view": tells(fields{"name": "Ending", "shared": false}),
	"delete-view": forgetsView,
	"events":      holds("retry: 2000\nevent: position\nid: "), // package app follows them

	"get-notifications": holds(`"kind":"account_locked","choice":"always","mail":true`),
	"put-notifications": holds(`"kind":"certificate_ending","choice":"on","mail":false`),

	"get-session":    tells(fields{"id": "{id}", "user_id": "{owner_id}"}),
	"register-agent": every(knowsAgent, logged("session.agent_registered")),
	"list-agents":    holds(`"code":"`),
	"remove-agent":   every(forgetsAgent, logged("session.agent_removed")),
	"list-sessions":  holds(`"id":{actor_session},`),
	"end-session":    every(at("/api/session/{id}", tells(fields{"active": false})), logged("session.ended")),

	"list-hwkeys":    lists,
	"get-hwkey":      tells(fields{"serial": "{serial}", "label": "{owner}"}),
	"hwkey-releases": tells(fields{"on_record": true}),
	"hwkey-history":  holds(`"target_id":"{serial}"`),
	"update-hwkey":   every(stands("/api/hwkey/{serial}"), logged("hwkey.")),
	"register-hwkey": every(stands("/api/hwkey/{serial}"), logged("hwkey.registered")),
	"import-hwkeys": every(tells(fields{"created": 1, "failed": 0}),
		at("/api/hwkey/{imported}", tells(fields{"label": "imported"})), logged("hwkey.imported")),
	"bulk-hwkeys":       every(lacks(`"failed"`), at("/api/hwkey/{bulk}", tells(fields{"status": "lost"})), logged("hwkey.status_changed")),
	"compliance-report": listsOrganizations,

	"get-secrets":     every(opens("pin"), logged("hwkey.secrets_released")),
	"start-rotation":  every(opens("next.pin"), pending(true), logged("hwkey.rotation_started")),
	"get-rotation":    every(opens("next.pin"), opens("current.pin"), logged("hwkey.secrets_released")),
	"commit-rotation": every(keeps("next"), pending(false), logged("hwkey.rotation_committed")),
	"abort-rotation":  every(keeps("current"), pending(false), logged("hwkey.rotation_aborted")),
	"observe-secret": every(at("/api/hwkey/{serial}/secrets?candidates=true&reason=look", tells(fields{"doubted": []string{"pin"}})),
		logged("hwkey.secrets_observed")),
	"hwkey-enrolled": every(at("/api/hwkey/{serial}", every(tells(fields{"status": "active"}), has("enrolled_at"))), logged("hwkey.enrolled")),
	"reset-hwkey":    every(at("/api/hwkey/{serial}", tells(fields{"secrets.version": 2, "enrolled_at": nil})), logged("hwkey.reset")),

	"signing-readiness":  tells(fields{"ready": true, "subject.common_name": "{owner}"}),
	"sign-csr":           every(certifies, logged("certificate.issued", "{serial_number}")),
	"hwkey-certificates": holds(`"serial_number":"{owner_cert}"`),
	"list-certificates":  lists,
	"get-certificate":    tells(fields{"serial_number": "{serial_number}", "common_name": "{owner}"}),
	"revoke-certificate": every(at("/api/certificates/{serial_number}", tells(fields{"status": "revoked"})),
		revoked, logged("certificate.revoked")),
	"certificate-written": every(at("/api/certificates/{serial_number}", has("installed_at")),
		logged("certificate.installed")),

	"certificates-by-week":         holds(`"week_start"`),
	"list-unrecorded-certificates": holds(`"total_is_exact"`), // only a crash leaves something to list
	"revoke-unrecorded-certificate": every(tells(fields{"on_record": true, "revocation_reason": "unspecified"}),
		logged("certificate.revoked", "{serial_number}")),

	"list-users":   lists,
	"get-user":     tells(fields{"id": "{id}", "username": "{owner}"}),
	"create-user":  every(stands("/api/admin/users/{id}"), logged("user.created")),
	"import-users": every(tells(fields{"created": 1, "failed": 0}), logged("user.created")),
	"update-user":  every(stands("/api/admin/users/{id}"), logged("user.updated")),
	"enable-users": every(tells(fields{"enabled": 1, "unchanged": 0}), at("/api/admin/users/{enabled}", tells(fields{"is_active": true})),
		logged("user.enabled", "{enabled}")),
	"unlock-user":         every(passwordWorks(password, 200), logged("user.unlocked")),
	"reset-password":      every(passwordWorks("{password}", 403), logged("user.password_reset")),
	"invite-user":         every(holds("/invitation#token="), logged("user.invited")),
	"list-organizations":  listsOrganizations,
	"get-organization":    tells(fields{"id": "{id}", "name": "qz-organization-{owner_org}"}),
	"create-organization": every(stands("/api/admin/organizations/{id}"), logged("organization.created")),
	"update-organization": every(stands("/api/admin/organizations/{id}"), logged("organization.updated")),
	"usable-profiles":     holds(`"name":"logon"`),
	"list-profiles":       holds(`"name":"logon"`),
	"get-profile":         tells(fields{"name": "{name}", "builtin": true}),
	"preview-profile":     holds(`zoe@example.org`),
	"create-profile":      every(stands("/api/admin/profiles/{name}"), logged("profile.created", "{name}")),
	"update-profile":      every(stands("/api/admin/profiles/{name}"), logged("profile.changed", "{name}")),
	"delete-profile":      every(gone("/api/admin/profiles/{name}"), logged("profile.deleted", "{name}")),
	"list-cas":            holds(`"state":"active"`),
	"request-ca":          every(tells(fields{"state": "ready"}), logged("ca.requested", "")),
	"install-ca":          every(tells(fields{"state": "ready"}), logged("ca.installed", "{id}")),
	"activate-ca":         every(tells(fields{"state": "active"}), logged("ca.activated", "{id}")),
	"withdraw-ca":         logged("ca.retired", "{id}"),
	"get-slot-profiles":   tells(fields{"slots.9e": "card-authentication"}),
	"put-slot-profiles":   every(stands("/api/admin/settings/slot-profiles"), logged("slot_profiles.changed", "installation")),

	"get-organization-slot-profiles": has("slots"),
	"put-organization-slot-profiles": every(stands("/api/admin/organizations/{id}/slot-profiles"), logged("slot_profiles.changed", "{id}")),

	"list-audit":   lists,
	"export-audit": every(lists, logged("audit.exported")),
	"audit-seal":   has("public_key"),
	"audit-verify": holds(`"findings":[]`),

	"list-backup-jobs":         has("items"),
	"running-backup-jobs":      has("items"),
	"get-backup-job":           tells(fields{"code": "not_found"}),
	"cancel-backup-job":        tells(fields{"code": "not_found"}),
	"get-backup-settings":      tells(fields{"encryption_password_set": false}),
	"put-backup-settings":      every(stands("/api/backup/settings"), logged("settings.changed")),
	"test-backup-connection":   tells(fields{"success": true}),
	"trigger-backup":           tells(fields{"code": "backup_not_configured"}),
	"list-backups":             has("items"),
	"download-backup":          has("url", "expires_at"),
	"delete-backup":            every(gone("/api/backup/download/{key}"), logged("backup.deleted", "{key}")),
	"backup-blob":              tells(fields{"code": "permission_denied"}),
	"restore-backup":           tells(fields{"code": "not_found"}),
	"validate-backup-password": tells(fields{"code": "not_found"}),
	"retry-backup-job":         tells(fields{"code": "not_found"}),
	"restore-status":           tells(fields{"running": false}),
	"drill-backup":             tells(fields{"code": "backup_not_configured"}),

	"get-license":     tells(fields{"status": "TRIAL", "reached": true, "restricted": false}),
	"license-history": has("items"),
	"installation-id": has("installation_id"),
	"upload-license":  tells(fields{"code": "license_rejected"}),
	"remove-license":  tells(fields{"code": "not_found"}),

	"system-health":   tells(fields{"status": "ok"}),
	"system-info":     tells(fields{"version": "test"}),
	"system-database": tells(fields{"engine": engine.Name()}),
	"system-vault":    tells(fields{"state": "connected", "ca.key_type": "ec-p256"}),
	"system-storage":  has("data"),
	"system-license":  has("status"),
	"system-jobs":     has("items"),

	"system-first-steps": tells(fields{"organization": true, "people": true, "token": true, "mail": false, "backup": false, "tls": false}),

	"system-recovery": holds(`"vault":`),
	"system-recover":  tells(fields{"code": "conflict"}), // there is nothing to accept

	"get-password-policy": has("min_length"),
	"put-password-policy": every(stands("/api/admin/settings/password-policy"), logged("settings.changed")),
	"get-oidc-settings":   tells(fields{"enabled": false}),
	"put-oidc-settings":   every(stands("/api/admin/settings/oidc"), logged("settings.changed")),
	"get-mail-settings":   tells(fields{"enabled": false}),
	"put-mail-settings":   every(stands("/api/admin/settings/mail"), logged("settings.changed")),
	"test-mail":           tells(fields{"code": "conflict"}), // there is no server to send to
	"list-mail":           has("items"),
	"retry-mail":          tells(fields{"code": "conflict"}), // mail is turned off
	"list-api-keys":       lists,
	"create-api-key":      every(keyWorks("{key}", 200), logged("api_key.created")),
	"revoke-api-key":      every(keyWorks("{key}", 401), logged("api_key.revoked")),

	"list-webhooks":           lists,
	"create-webhook":          every(stands("/api/admin/webhooks/{id}"), logged("webhook.created")),
	"get-webhook":             tells(fields{"id": "{id}", "description": "{owner}"}),
	"update-webhook":          every(has("secret"), logged("webhook.secret_rotated")),
	"delete-webhook":          every(gone("/api/admin/webhooks/{id}"), logged("webhook.deleted")),
	"list-webhook-deliveries": holds(`"id":{owner_delivery},`),
	"replay-webhook-delivery": logged("webhook.replayed", "{owner_hook}"),
}
