package access

import (
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/fault"
)

// TestKeysNeverReach: only a person may do what returns a secret, needs a
// session, or creates further keys. These are rules, not just a list, so that
// they cover new operations.
func TestKeysNeverReach(t *testing.T) {
	t.Parallel()
	for op, rule := range table {
		personal := rule.Recent || rule.Public || (rule.Global == Own && rule.Manager == Own && rule.User == Own)
		for _, word := range []string{"secret", "rotation", "agent", "api-key", "session", "notice",
			"reauthenticate", "enrolled", "reset-hwkey", "put-"} {
			personal = personal || strings.Contains(string(op), word)
		}
		if personal && rule.Keys {
			t.Errorf("%s must not be open to API keys", op)
		}
	}
}

// TestKeysAreRefusedWithTheReason tries every operation with a key of each
// role: the table's Keys decides, then the role.
func TestKeysAreRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	organization := int64(7)
	for op, rule := range table {
		for _, role := range []Role{GlobalAdmin, OrgManager, User} {
			a := Actor{APIKeyID: 1, Username: "api-key:ci", Role: role, KeyScopes: []KeyScope{KeyAll}, OrganizationID: &organization}
			scope, err := Can(a, op)
			want := rule.reach(role)
			if !rule.Keys {
				want = None
			}
			if scope.Reach != want || (err == nil) != (want != None) {
				t.Errorf("%s as %s: reach %v, %v", op, role, scope.Reach, err)
			}
			if f, ok := fault.As(err); ok && !rule.Keys && !rule.Public && !strings.Contains(f.Detail, "API key") {
				t.Errorf("%s: the detail does not say why: %s", op, f.Detail)
			}
			nobody := int64(0)
			if scope.Reach == Own && (scope.Allows(&organization, &nobody) || scope.Allows(&organization, nil)) {
				t.Errorf("%s: a key owns a row", op)
			}
		}
	}
}

// TestKeyScopes: a key without a scope does nothing; each scope opens what its name says, and none but
// all opens what changes something.
func TestKeyScopes(t *testing.T) {
	t.Parallel()
	may := func(op Operation, scopes ...KeyScope) bool {
		_, err := Can(Actor{APIKeyID: 1, Role: GlobalAdmin, KeyScopes: scopes}, op)
		if f, ok := fault.As(err); err != nil && (!ok || f.Reason != "api_key_scope") {
			t.Errorf("%s: %v", op, err)
		}
		return err == nil
	}
	for op, rule := range table {
		if !rule.Keys {
			continue
		}
		reading := func(prefix string) bool { return strings.HasPrefix(string(op), prefix) }
		changes := !slices.ContainsFunc([]string{"list-", "get-", "system-", "running-", "preview-"}, reading) &&
			!slices.Contains(strings.Fields("compliance-report hwkey-releases hwkey-history usable-profiles signing-readiness hwkey-certificates "+
				"certificates-by-week export-audit audit-seal audit-verify license-history installation-id"), string(op))
		if may(op) || may(op, "unknown") || !may(op, KeyAll) || may(op, KeyRead) == changes {
			t.Errorf("%s: none %t, read %t", op, may(op), may(op, KeyRead))
		}
		if changes && (may(op, KeyMonitor, KeyInventory)) {
			t.Errorf("%s changes something", op)
		}
	}
	for op, want := range map[Operation]string{
		"system-health": "monitor", "list-backup-jobs": "monitor", "list-hwkeys": "inventory", "list-users": "inventory",
		"compliance-report": "inventory", "list-audit": "", "get-oidc-settings": "", "revoke-certificate": "", "sign-csr": "",
	} {
		if may(op, KeyMonitor) != (want == "monitor") || may(op, KeyInventory) != (want == "inventory") {
			t.Errorf("%s is open to other scopes than %q", op, want)
		}
	}
}

func TestCheckKeyScopes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		role   Role
		scopes []KeyScope
		code   string
	}{
		{GlobalAdmin, []KeyScope{KeyAll}, ""}, {GlobalAdmin, []KeyScope{KeyMonitor, KeyInventory}, ""},
		{OrgManager, []KeyScope{KeyRead}, ""}, {User, []KeyScope{KeyAll}, ""},
		{GlobalAdmin, nil, "not_one_of"}, {GlobalAdmin, []KeyScope{"write"}, "not_one_of"},
		{GlobalAdmin, []KeyScope{KeyAll, KeyRead}, "scope_all"}, {OrgManager, []KeyScope{KeyMonitor}, "scope_useless"},
	} {
		got := ""
		if bad := CheckKeyScopes(c.role, c.scopes); bad != nil {
			got = bad.Code
		}
		if got != c.code {
			t.Errorf("%s %v: %q, want %q", c.role, c.scopes, got, c.code)
		}
	}
}
