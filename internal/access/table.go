package access

// Operation is an operationId of api/backend.yaml.
type Operation string

// Rule is a row of the table: the reach of each role. A public operation
// needs nobody to be signed in.
type Rule struct {
	Public  bool
	Global  Reach
	Manager Reach
	User    Reach
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

// table is the one place that says which role may do what (contract,
// "Roles"). Every operation of the API has a row; a test holds the two
// together.
var table = map[Operation]Rule{
	"login":           public,
	"refresh":         public,
	"change-password": public,
	"health":          public,
	"get-crl":         public,
	"get-crl-status":  public,
	"get-ca":          public,
	"get-ca-chain":    public,
	"openapi":         public,

	"me":             own,
	"logout":         own,
	"register-agent": own,
	"get-session":    byRole,

	"list-hwkeys":         byRole,
	"get-hwkey":           byRole,
	"update-hwkey":        byRole,
	"register-hwkey":      managers,
	"get-secrets":         byRole,
	"start-rotation":      byRole,
	"get-rotation":        byRole,
	"commit-rotation":     byRole,
	"abort-rotation":      byRole,
	"observe-secret":      byRole,
	"hwkey-enrolled":      byRole,
	"reset-hwkey":         byRole,
	"signing-readiness":   byRole,
	"sign-csr":            byRole,
	"hwkey-certificates":  byRole,
	"list-certificates":   byRole,
	"get-certificate":     byRole,
	"revoke-certificate":  byRole,
	"certificate-written": byRole,

	"list-users":          managers,
	"get-user":            managers,
	"create-user":         managers,
	"list-organizations":  managers,
	"get-organization":    managers,
	"create-organization": globalOnly,
	"list-audit":          byRole,
}

// Table returns a copy of every row, for tests and for the documentation.
func Table() map[Operation]Rule {
	out := make(map[Operation]Rule, len(table))
	for op, rule := range table {
		out[op] = rule
	}
	return out
}

// IsPublic tells whether an operation needs nobody to be signed in.
func IsPublic(op Operation) bool { return table[op].Public }

// Permissions lists the operations that a role may do, for the UI to know
// what to show.
func Permissions(role Role) []Operation {
	var ops []Operation
	for op, rule := range table {
		if rule.reach(role) != None {
			ops = append(ops, op)
		}
	}
	return ops
}
