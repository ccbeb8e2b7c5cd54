package cert

import (
	"maps"
	"slices"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
)

// reasons are the RFC 5280, section 5.3.1, names that Keyward offers: all but
// certificateHold and removeFromCRL.
var reasons = map[string]vault.Reason{
	"unspecified":          vault.Unspecified,
	"keyCompromise":        vault.KeyCompromise,
	"cACompromise":         vault.CACompromise,
	"affiliationChanged":   vault.AffiliationChanged,
	"superseded":           vault.Superseded,
	"cessationOfOperation": vault.CessationOfOperation,
	"privilegeWithdrawn":   vault.PrivilegeWithdrawn,
	"aACompromise":         vault.AACompromise,
}

// ParseReason reads a reason's RFC 5280 name; empty is unspecified.
func ParseReason(name string) (vault.Reason, error) {
	if name == "" {
		return vault.Unspecified, nil
	}
	r, ok := reasons[name]
	if !ok {
		return 0, fault.Invalid(fault.NotOneOf("reason", slices.Sorted(maps.Keys(reasons))...))
	}
	return r, nil
}

// ReasonName is the inverse of ParseReason.
func ReasonName(r vault.Reason) string {
	for name, code := range reasons {
		if code == r {
			return name
		}
	}
	return "unspecified"
}
