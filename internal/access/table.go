package access

// Operation is an operationId of api/backend.yaml.
type Operation string

// Rule is a row of the table: the reach of each role. A public operation needs no sign-in.
type Rule struct {
	Public  bool
	Global  Reach
	Manager Reach
	User    Reach
	Keys    bool // API keys with the role may do it, too
	Recent  bool // demands recent authentication; some others do so only for some changes
}

// keys also lets API keys do it: suitable if no person and no secret is involved.
func (r Rule) keys() Rule {
	r.Keys = true
	return r
}

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
	"oidc-start":      public,
	"oidc-callback":   public,
	"oidc-exchange":   public,
	"backup-blob":     public, // for anyone with a link

	"me":             own,
	"logout":         own,
	"reauthenticate": own,
	"list-notices":   own,
	"read-notice":    own,

	"get-notifications": own,
	"put-notifications": own,

	"register-agent": own,
	"list-agents":    own,
	"remove-agent":   own,
	"get-session":    byRole,
	"list-sessions":  byRole,
	"end-session":    byRole,

	"list-hwkeys":         byRole.keys(),
	"get-hwkey":           byRole.keys(),
	"update-hwkey":        byRole.keys(),
	"register-hwkey":      managers.keys(),
	"import-hwkeys":       managers.keys(),
	"bulk-hwkeys":         managers.keys(),
	"compliance-report":   managers.keys(),
	"hwkey-releases":      byRole.keys(),
	"hwkey-history":       byRole.keys(),
	"get-secrets":         byRole,
	"start-rotation":      byRole,
	"get-rotation":        byRole,
	"commit-rotation":     byRole,
	"abort-rotation":      byRole,
	"observe-secret":      byRole,
	"hwkey-enrolled":      byRole,
	"reset-hwkey":         byRole.recent(),
	"usable-profiles":     byRole.keys(),
	"signing-readiness":   byRole.keys(),
	"sign-csr":            byRole.keys(),
	"hwkey-certificates":  byRole.keys(),
	"list-certificates":   byRole.keys(),
	"get-certificate":     byRole.keys(),
	"revoke-certificate":  byRole.keys(),
	"certificate-written": byRole.keys(),

	"certificates-by-week":          byRole.keys(),
	"list-unrecorded-certificates":  globalOnly.keys(),
	"revoke-unrecorded-certificate": globalOnly.keys(),

	"list-users":          managers.keys(),
	"get-user":            managers.keys(),
	"create-user":         managers.keys(),
	"import-users":        managers.keys(), // with invitations: what invite-user demands
	"update-user":         managers.keys(),
	"enable-users":        managers,
	"unlock-user":         managers.keys(),
	"reset-password":      managers.recent(), // the answer holds a password
	"invite-user":         managers.recent(), // the answer lets its reader set a password
	"list-organizations":  managers.keys(),
	"get-organization":    managers.keys(),
	"create-organization": globalOnly.keys(),
	"update-organization": globalOnly.keys(),
	"list-audit":          byRole.keys(),
	"export-audit":        byRole.keys(),
	"audit-seal":          globalOnly.keys(),

	"list-profiles":  globalOnly.keys(),
	"get-profile":    globalOnly.keys(),
	"create-profile": globalOnly.recent(),
	"update-profile": globalOnly.recent(),
	"delete-profile": globalOnly.recent(),

	"preview-profile": globalOnly.keys(), // changes nothing, and no real CA signs

	"list-cas":    globalOnly.keys(),
	"request-ca":  globalOnly.recent(),
	"install-ca":  globalOnly.recent(),
	"activate-ca": globalOnly.recent(),
	"withdraw-ca": globalOnly.recent(),

	"get-slot-profiles":              globalOnly.keys(),
	"put-slot-profiles":              globalOnly.recent(),
	"get-organization-slot-profiles": managers.keys(),
	"put-organization-slot-profiles": globalOnly.recent(),

	"get-password-policy": globalOnly.keys(),
	"put-password-policy": globalOnly.recent(),
	"get-oidc-settings":   globalOnly.keys(),
	"put-oidc-settings":   globalOnly.recent(),
	"get-mail-settings":   globalOnly.keys(),
	"put-mail-settings":   globalOnly.recent(),
	"test-mail":           globalOnly,
	"list-mail":           globalOnly.keys(),
	"retry-mail":          globalOnly.keys(),
	"list-api-keys":       managers,
	"create-api-key":      managers.recent(),
	"revoke-api-key":      managers.recent(),

	"list-webhooks":           managers.keys(),
	"get-webhook":             managers.keys(),
	"create-webhook":          managers.recent(), // shows a secret
	"update-webhook":          managers,          // may show a secret
	"delete-webhook":          managers.keys(),
	"list-webhook-deliveries": managers.keys(),
	"replay-webhook-delivery": managers.keys(),

	"list-backup-jobs":         globalOnly.keys(),
	"running-backup-jobs":      globalOnly.keys(),
	"get-backup-job":           globalOnly.keys(),
	"cancel-backup-job":        globalOnly.keys(),
	"get-backup-settings":      globalOnly.keys(),
	"put-backup-settings":      globalOnly.recent(),
	"test-backup-connection":   globalOnly.keys(),
	"trigger-backup":           globalOnly.keys(),
	"list-backups":             globalOnly.keys(),
	"download-backup":          globalOnly.recent(), // a link to everything, if encrypted
	"delete-backup":            globalOnly.recent(),
	"restore-backup":           globalOnly.recent(),
	"retry-backup-job":         globalOnly.recent(),
	"validate-backup-password": globalOnly,
	"restore-status":           globalOnly,
	"drill-backup":             globalOnly.keys(),

	"get-license":     globalOnly.keys(),
	"license-history": globalOnly.keys(),
	"installation-id": globalOnly.keys(),
	"upload-license":  globalOnly.recent(),
	"remove-license":  globalOnly.recent(),

	"system-health":   globalOnly.keys(),
	"system-info":     globalOnly.keys(),
	"system-database": globalOnly.keys(),
	"system-vault":    globalOnly.keys(),
	"system-storage":  globalOnly.keys(),
	"system-license":  globalOnly.keys(),
	"system-jobs":     globalOnly.keys(),
	"system-recovery": globalOnly.keys(),

	"system-first-steps": globalOnly.keys(),

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
