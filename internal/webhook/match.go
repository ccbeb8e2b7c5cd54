package webhook

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
)

const maxActions = 64

var actionPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}\.([a-z][a-z0-9_]{0,31})?$`)

// checkActions removes duplicates. Unknown actions are allowed: a later version may have them.
func checkActions(actions []string) ([]string, error) {
	out := []string{}
	for i, a := range actions {
		if !actionPattern.MatchString(a) {
			return nil, fault.Invalid(fault.Wrong(fmt.Sprintf("actions[%d]", i), "bad_action",
				"must be an action such as hwkey.registered, or a prefix such as hwkey. with its dot"))
		}
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	if len(out) > maxActions {
		return nil, fault.Invalid(fault.TooMany("actions", maxActions))
	}
	return out, nil
}

// inScope reports whether the hook's owners may read the entry, by the same
// rule as GET /api/admin/audit.
func (w Webhook) inScope(e audit.Entry) bool {
	return w.OrganizationID == nil || e.OrganizationID != nil && *e.OrganizationID == *w.OrganizationID
}

// wants tells whether the hook asked for an action. A renewal of a session,
// which every page load makes, is sent only where it is named explicitly.
func (w Webhook) wants(action audit.Action) bool {
	if action == audit.Refresh {
		return slices.Contains(w.Actions, string(action))
	}
	if len(w.Actions) == 0 {
		return true
	}
	return slices.ContainsFunc(w.Actions, func(a string) bool {
		return a == string(action) || strings.HasSuffix(a, ".") && strings.HasPrefix(string(action), a)
	})
}

// gets reports whether the target receives an entry.
func (t Target) gets(e audit.Entry) bool {
	return !t.Muted && e.ID > t.After && t.inScope(e) && t.wants(e.Action)
}
