package access

// Operation is an operationId of api/backend.yaml.
type Operation string

// Rule is a row of the table: the reach of each role. A public operation needs no sign-in.
type Rule struct {
	Public  bool
	Global  Reach
	Manager Reach
	User    Reach
	Keys    bool       // API keys with the role may do it, too, if they have the scope all
	Scopes  []KeyScope // or one of these
	Recent  bool       // demands recent authentication; some others do so only for some changes
}

// keys also lets API keys do it: suitable if no person and no secret is involved.
func (r Rule) keys() Rule {
	r.Keys = true
	return r
}

// reads is keys for what changes nothing, so that keys that can only read may do it.
func (r Rule) reads(also ...KeyScope) Rule {
	r.Keys, r.Scopes = true, append([]KeyScope{KeyRead}, also...)
	return r
}

func (r Rule) monitored() Rule { return r.reads(KeyMonitor) }

func (r Rule) inventoried() Rule { return r.reads(KeyInventory) }

// recent demands recent authentication.
func (r Rule) recent() Rule {
	r.Recent = true
	return r
}

func (r Rule) reach(role Role) Reach {
	switch role {
	case GlobalAdmin:
		return r.Global
	case OrgManager:
		return r.Manager
	case User:
		return r.User
	default:
		return None
	}
}

var (
	public     = Rule{Public: true}
	own        = Rule{Global: Own, Manager: Own, User: Own}
	byRole     = Rule{Global: Everything, Manager: Organization, User: Own}
	managers   = Rule{Global: Everything, Manager: Organization}
	globalOnly = Rule{Global: Everything}
)

// table alone says which role may do what (contract, "Roles"). Every operation
// of the API has a row, which a test ensures.
var table = map[Operation]Rule{
	"login":           public,
	"refresh":         public,
	"change-password": public,
	"health":          public,
	"live":            public,
	"ready":           public,
	"get-crl":         public,
	"get-crl-of":      public,
	"get-ca-of":       public,
	"get-parent-crl":  public,
	"get-crl-status":  public,
	"get-ca":          public,
	"get-ca-der":      public,
	"get-ca-chain":    public,
	"get-ocsp":        public,
	"post-ocsp":       public,
	"openapi":         public,
	"auth-config":     public,
	"invitation":      public,
	"invited":         public, // for anyone with the link
	"oidc-start":      public,
	"oidc-callback":   public,
	"oidc-exchange":   public,
	"backup-blob":     public, // for anyone with a link

	"me":             own,
	"logout":         own,
	"reauthenticate": own,
	"list-notices":   own,
	"read-notice":    own,
	"list-views":     own,
	"create-view":    own, // one for an organization: its managers
	"delete-view":    own,
	"events":         own,

	"get-notifications": own,
	"put-notifications": own,

	"register-agent": own,
	"list-agents":    own,
	"remove-agent":   own,
	"get-session":    byRole,
	"list-sessions":  byRole,
	"end-session":    byRole,

	"list-hwkeys":         byRole.inventoried(),
	"get-hwkey":           byRole.inventoried(),
	"update-hwkey":        byRole.keys(),
	"register-hwkey":      managers.keys(),
	"import-hwkeys":       managers.keys(),
	"bulk-hwkeys":         managers.keys(),
	"compliance-report":   managers.inventoried(),
	"hwkey-releases":      byRole.reads(),
	"hwkey-history":       byRole.inventoried(),
	"get-secrets":         byRole,
	"start-rotation":      byRole,
	"get-rotation":        byRole,
	"commit-rotation":     byRole,
	"abort-rotation":      byRole,
	"observe-secret":      byRole,
	"hwkey-enrolled":      byRole,
	"reset-hwkey":         byRole.recent(),
	"usable-profiles":     byRole.reads(),
	"signing-readiness":   byRole.reads(),
	"sign-csr":            byRole.keys(),
	"hwkey-certificates":  byRole.inventoried(),
	"list-certificates":   byRole.inventoried(),
	"get-certificate":     byRole.inventoried(),
	"revoke-certificate":  byRole.keys(),
	"certificate-written": byRole.keys(),

	"certificates-by-week":          byRole.inventoried(),
	"list-unrecorded-certificates":  globalOnly.monitored(),
	"revoke-unrecorded-certificate": globalOnly.keys(),

	"list-users":          managers.inventoried(),
	"get-user":            managers.inventoried(),
	"create-user":         managers.keys(),
	"import-users":        managers.keys(), // with invitations: what invite-user demands
	"update-user":         managers.keys(),
	"enable-users":        managers,
	"unlock-user":         managers.keys(),
	"reset-password":      managers.recent(), // the answer holds a password
	"invite-user":         managers.recent(), // the answer lets its reader set a password
	"list-organizations":  managers.inventoried(),
	"get-organization":    managers.inventoried(),
	"create-organization": globalOnly.keys(),
	"update-organization": globalOnly.keys(),
	"list-audit":          byRole.reads(),
	"export-audit":        byRole.reads(),
	"audit-seal":          globalOnly.monitored(),
	"audit-verify":        globalOnly.reads(),

	"list-profiles":  globalOnly.reads(),
	"get-profile":    globalOnly.reads(),
	"create-profile": globalOnly.recent(),
	"update-profile": globalOnly.recent(),
	"delete-profile": globalOnly.recent(),

	"preview-profile": globalOnly.reads(), // changes nothing, and no real CA signs

	"list-cas":    globalOnly.monitored(),
	"request-ca":  globalOnly.recent(),
	"install-ca":  globalOnly.recent(),
	"activate-ca": globalOnly.recent(),
	"withdraw-ca": globalOnly.recent(),

	"get-slot-profiles":              globalOnly.reads(),
	"put-slot-profiles":              globalOnly.recent(),
	"get-organization-slot-profiles": managers.reads(),
	"put-organization-slot-profiles": globalOnly.recent(),

	"get-password-policy": globalOnly.reads(),
	"put-password-policy": globalOnly.recent(),
	"get-oidc-settings":   globalOnly.reads(),
	"put-oidc-settings":   globalOnly.recent(),
	"get-mail-settings":   globalOnly.reads(),
	"put-mail-settings":   globalOnly.recent(),
	"test-mail":           globalOnly,
	"list-mail":           globalOnly.monitored(),
	"retry-mail":          globalOnly.keys(),
	"list-api-keys":       managers,
	"create-api-key":      managers.recent(),
	"revoke-api-key":      managers.recent(),

	"list-webhooks":           managers.reads(),
	"get-webhook":             managers.reads(),
	"create-webhook":          managers.recent(), // shows a secret
	"update-webhook":          managers,          // may show a secret
	"delete-webhook":          managers.keys(),
	"list-webhook-deliveries": managers.reads(),
	"replay-webhook-delivery": managers.keys(),

	"list-backup-jobs":         globalOnly.monitored(),
	"running-backup-jobs":      globalOnly.monitored(),
	"get-backup-job":           globalOnly.monitored(),
	"cancel-backup-job":        globalOnly.keys(),
	"get-backup-settings":      globalOnly.reads(),
	"put-backup-settings":      globalOnly.recent(),
	"test-backup-connection":   globalOnly.keys(),
	"trigger-backup":           globalOnly.keys(),
	"list-backups":             globalOnly.monitored(),
	"download-backup":          globalOnly.recent(), // a link to everything, if encrypted
	"delete-backup":            globalOnly.recent(),
	"restore-backup":           globalOnly.recent(),
	"retry-backup-job":         globalOnly.recent(),
	"validate-backup-password": globalOnly,
	"restore-status":           globalOnly,
	"drill-backup":             globalOnly.keys(),

	"get-license":     globalOnly.monitored(),
	"license-history": globalOnly.reads(),
	"installation-id": globalOnly.reads(),
	"upload-license":  globalOnly.recent(),
	"remove-license":  globalOnly.recent(),

	"system-health":   globalOnly.monitored(),
	"system-info":     globalOnly.monitored(),
	"system-database": globalOnly.monitored(),
	"system-vault":    globalOnly.monitored(),
	"system-storage":  globalOnly.monitored(),
	"system-license":  globalOnly.monitored(),
	"system-jobs":     globalOnly.monitored(),
	"system-recovery": globalOnly.monitored(),

	"system-first-steps": globalOnly.reads(),

	"system-recover": globalOnly.recent(),
}

// Table returns a copy of the table, for tests and for the documentation.
func Table() map[Operation]Rule {
	out := make(map[Operation]Rule, len(table))
	for op, rule := range table {
		out[op] = rule
	}
	return out
}

// IsPublic reports whether an operation needs no sign-in.
func IsPublic(op Operation) bool { return table[op].Public }

// Permissions lists the operations that a role may do, so that the UI knows what to show.
func Permissions(role Role) []Operation {
	var ops []Operation
	for op, rule := range table {
		if rule.reach(role) != None {
			ops = append(ops, op)
		}
	}
	return ops
}
