package roles

import "strings"

// role is one of the three (specification, "Roles and scope").
type role string

const (
	globalAdmin role = "global_admin"
	orgManager  role = "org_manager"
	user        role = "user"
)

// reach is how far a role gets with an operation.
type reach string

const (
	none         reach = "–"
	own          reach = "own"
	organization reach = "own org"
	everything   reach = "✔"
)

// rule is what the contract says about one operation.
type rule struct {
	public bool
	reach  map[role]reach
	keys   bool // API keys of the role reach it, too
	recent bool // requires recent authentication, with the body of its probe
}

// contract is the contract's section 3, line by line, with the operations of each line.
// What an API key reaches follows from section 4 (it has no session, no secrets, no
// rotations and no agent) and from section 2 (nothing that requires recent
// authentication, and nothing about oneself).
var contract = []struct {
	line    string
	g, m, u reach
	people  string // operations for people only
	keys    string // operations for people and API keys
}{
	{"own profile, sessions, agents, password, notices", own, own, own,
		"me logout reauthenticate list-notices read-notice events register-agent list-agents remove-agent " +
			"get-notifications put-notifications list-views create-view delete-view", ""},
	{"own sessions; others' sessions: see, end", everything, organization, own,
		"get-session list-sessions end-session", ""},
	{"own tokens, their secrets, rotations, …; the same on others' tokens", everything, organization, own,
		"get-secrets start-rotation get-rotation commit-rotation abort-rotation observe-secret hwkey-enrolled reset-hwkey",
		"list-hwkeys get-hwkey hwkey-releases hwkey-history update-hwkey signing-readiness sign-csr certificate-written hwkey-certificates " +
			"list-certificates certificates-by-week get-certificate"},
	{"register, assign, suspend, retire; CSV import; bulk", everything, organization, none,
		"", "register-hwkey import-hwkeys bulk-hwkeys"},
	{"revoke a certificate", everything, organization, own,
		"", "revoke-certificate"},
	{"revocation of an unknown certificate", everything, none, none,
		"", "list-unrecorded-certificates revoke-unrecorded-certificate"},
	{"list, create, change, unlock, invite users, reset passwords", everything, organization, none,
		"reset-password invite-user enable-users", "list-users get-user create-user import-users update-user unlock-user"},
	{"organizations: G all", everything, none, none,
		"", "create-organization update-organization"},
	{"organizations: M read own", everything, organization, none,
		"", "list-organizations get-organization"},
	{"profiles that one may use", everything, organization, own,
		"", "usable-profiles"},
	{"profiles, slot profiles, CAs: change", everything, none, none,
		"create-profile update-profile delete-profile put-slot-profiles put-organization-slot-profiles " +
			"request-ca install-ca activate-ca withdraw-ca",
		"list-profiles get-profile preview-profile get-slot-profiles list-cas"},
	{"slot profiles of an organization: read", everything, organization, none,
		"", "get-organization-slot-profiles"},
	{"audit; export", everything, organization, own,
		"", "list-audit export-audit"},
	{"compliance report", everything, organization, none,
		"", "compliance-report"},
	{"API keys", everything, organization, none,
		"list-api-keys create-api-key revoke-api-key", ""},
	{"webhooks", everything, organization, none, // creating or changing one may show its secret
		"create-webhook update-webhook", "list-webhooks get-webhook delete-webhook list-webhook-deliveries replay-webhook-delivery"},
	{"backup and restore in all parts", everything, none, none,
		"put-backup-settings download-backup delete-backup restore-backup retry-backup-job validate-backup-password restore-status",
		"get-backup-settings test-backup-connection list-backups trigger-backup " +
			"list-backup-jobs running-backup-jobs get-backup-job cancel-backup-job drill-backup"},
	{"system, license, policy and OIDC settings; the seal of the whole log", everything, none, none,
		"put-password-policy put-oidc-settings system-recover upload-license remove-license put-mail-settings test-mail",
		"system-health system-info system-database system-vault system-storage system-license system-jobs system-recovery system-first-steps " +
			"get-password-policy get-oidc-settings audit-seal audit-verify get-license license-history installation-id " +
			"get-mail-settings list-mail retry-mail"},
}

// public is the first line: no sign-in is required.
const public = "login refresh change-password auth-config invitation invited oidc-start oidc-callback oidc-exchange " +
	"get-crl get-crl-status get-crl-of get-parent-crl get-ca get-ca-der get-ca-of get-ca-chain get-ocsp post-ocsp " +
	"health live ready openapi backup-blob"

// recent are the operations that require recent authentication according to section 2,
// and those that do for their probe's body (a password, a secret). TestFieldsThatLead has
// the fields of others that require it.
const recent = "put-password-policy put-oidc-settings create-user reset-password invite-user create-api-key revoke-api-key " +
	"system-recover create-webhook update-webhook reset-hwkey put-backup-settings restore-backup retry-backup-job " +
	"upload-license remove-license put-mail-settings download-backup delete-backup " +
	"update-user enable-users update-organization " +
	"create-profile update-profile delete-profile put-slot-profiles put-organization-slot-profiles " +
	"request-ca install-ca activate-ca withdraw-ca"

// table returns the contract by operation. An operation in two lines would be our
// mistake.
func table() map[string]rule {
	out := map[string]rule{}
	add := func(operations string, r rule) {
		for id := range strings.FieldsSeq(operations) {
			if _, twice := out[id]; twice {
				panic(id + " stands in two lines")
			}
			out[id] = r
		}
	}
	add(public, rule{public: true})
	for _, c := range contract {
		by := map[role]reach{globalAdmin: c.g, orgManager: c.m, user: c.u}
		add(c.people, rule{reach: by})
		add(c.keys, rule{reach: by, keys: true})
	}
	for id := range strings.FieldsSeq(recent) {
		r, ok := out[id]
		if !ok {
			panic(id + " stands in no line")
		}
		r.recent = true
		out[id] = r
	}
	return out
}
