package access

import (
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
			a := Actor{APIKeyID: 1, Username: "api-key:ci", Role: role, OrganizationID: &organization}
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
